#include "lmdb/walk.h"

#include <algorithm>
#include <cstring>

namespace graspd::lmdb {
namespace {

bool allows(const std::optional<std::vector<nostr::Kind>>& kinds, nostr::Kind kind) {
  return !kinds || std::binary_search(kinds->begin(), kinds->end(), kind);
}

bool keys_imply_kinds(store::Index index) {
  using store::Index;
  return index == Index::Kind || index == Index::AuthorKind || index == Index::Author;
}

}  // namespace

Walk::Walk(const Txn& txn, const Tables& tables, std::span<const nostr::Filter> filters)
    : txn_(txn), tables_(tables), filters_(filters), asked_(filters.size()) {}

void Walk::open(std::uint32_t number, const std::optional<store::Position>& after,
                std::unique_ptr<PageSource> ids) {
  const nostr::Filter& filter = filters_[number];
  const Bounds bounds = Bounds::of(filter, after);
  Asked& asked = asked_[number];
  const store::Plan plan = store::plan_query(filter, std::min(store::kKeysMax, ranges_left_));
  asked = {plan, true, plan.exact && (!filter.kinds || keys_imply_kinds(plan.index))};
  switch (asked.plan.index) {
    case store::Index::Nothing:
      return;
    case store::Index::Ids:
      return merge_.add(number, std::move(ids));
    case store::Index::Tag: {
      const nostr::TagCondition& tag = filter.tags[asked.plan.tag];
      for (const std::string& value : tag.values) {
        add(number, IndexName::Tag, tag_key(tag.letter, value), bounds);
      }
      return;
    }
    case store::Index::AuthorKind:
      for (const nostr::PublicKey& author : *filter.authors) {
        for (const nostr::Kind kind : *filter.kinds) {
          add(number, IndexName::AuthorKind, author_kind_key(author, kind), bounds);
        }
      }
      return;
    case store::Index::Author:
      return open_authors(number, bounds);
    case store::Index::Kind:
      for (const nostr::Kind kind : *filter.kinds) {
        add(number, IndexName::Kind, kind_key(kind), bounds);
      }
      return;
    case store::Index::Time:
      return add(number, IndexName::Time, time_key(), bounds);
  }
}

void Walk::open_authors(std::uint32_t number, const Bounds& bounds) {
  const std::vector<Key> keys = keys_of_authors(filters_[number]);
  if (keys.size() > std::min(kRangesMax, ranges_left_)) {
    asked_[number] = {{store::Index::Time, 0, false}, true, false};
    return add(number, IndexName::Time, time_key(), bounds);
  }
  for (const Key& key : keys) add(number, IndexName::AuthorKind, key, bounds);
  const std::size_t authors = filters_[number].authors->size();
  const std::size_t sought_in_vain = authors - std::min(authors, keys.size());
  ranges_left_ -= std::min(ranges_left_, sought_in_vain);
}

std::vector<Key> Walk::keys_of_authors(const nostr::Filter& filter) {
  std::vector<Key> keys;
  for (const nostr::PublicKey& author : *filter.authors) {
    reader(IndexName::AuthorKind).for_each_key(author_kind_key(author, {0}), [&](Bytes key) {
      if (std::memcmp(key.data(), author.data(), nostr::PublicKey::kSize) != 0) return false;
      const nostr::Kind kind = kind_of_author_kind_key(key);
      if (allows(filter.kinds, kind)) keys.push_back(author_kind_key(author, kind));
      return keys.size() <= std::min(kRangesMax, ranges_left_);
    });
  }
  return keys;
}

IndexReader& Walk::reader(IndexName index) {
  auto& reader = readers_[static_cast<std::size_t>(index)];
  if (!reader) reader.emplace(txn_, tables_.index(index));
  return *reader;
}

void Walk::add(std::uint32_t filter, IndexName index, const Key& key, const Bounds& bounds) {
  if (ranges_left_ > 0) --ranges_left_;
  merge_.add(filter, std::make_unique<KeyPages>(reader(index), key, bounds));
}

bool Walk::step() {
  record_.reset();
  candidates_.clear();
  while (!merge_.empty() && !asked_[merge_.label()].open) merge_.drop();
  if (merge_.empty()) return false;
  entry_ = merge_.top();
  do {
    take_top();
  } while (!merge_.empty() && compare_positions(merge_.top(), entry_) == 0);
  return true;
}

Page Walk::plain_page() const {
  if (!merge_.is_single()) return {};
  const Asked& asked = asked_[merge_.label()];
  return asked.open && asked.plain ? merge_.page() : Page();
}

void Walk::take_top() {
  const std::uint32_t filter = merge_.label();
  const bool known = std::find(candidates_.begin(), candidates_.end(), filter) != candidates_.end();
  if (asked_[filter].open && !known) candidates_.push_back(filter);
  merge_.advance();
}

bool Walk::matches(std::uint32_t number) {
  const nostr::Filter& filter = filters_[number];
  if (!allows(filter.kinds, kind_of(entry_))) return false;
  return asked_[number].plan.exact || record().matches(filter);
}

bool Walk::matches_any() {
  return std::any_of(candidates_.begin(), candidates_.end(),
                     [this](std::uint32_t filter) { return matches(filter); });
}

bool Walk::is_expired(core::UnixSeconds now) { return expires(entry_) && record().is_expired(now); }

const RecordView& Walk::record() {
  if (!record_) record_ = load_record(txn_, tables_, serial_of(entry_));
  return *record_;
}

}  // namespace graspd::lmdb
