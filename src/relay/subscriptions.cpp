#include "relay/subscriptions.h"

#include <algorithm>

#include "core/check.h"
#include "relay/footprint.h"

namespace graspd::relay {
namespace {

// A key begins with what it is about, so that an id is never taken for an author.
enum class About : char { Id = 'i', Author = 'a', Tag = '#', Kind = 'k', Anything = '*' };

void assign(std::string& key, About about, std::span<const std::uint8_t> bytes) {
  key.assign(1, static_cast<char>(about));
  key.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

void assign(std::string& key, char letter, std::string_view value) {
  key.assign({static_cast<char>(About::Tag), letter});
  key.append(value);
}

void assign(std::string& key, nostr::Kind kind) {
  key.assign({static_cast<char>(About::Kind), static_cast<char>(kind.value >> 8),
              static_cast<char>(kind.value & 0xff)});
}

void assign_anything(std::string& key) { key.assign(1, static_cast<char>(About::Anything)); }

const nostr::TagCondition* rarest_tag(const nostr::Filter& filter) {
  auto fewer = [](const auto& a, const auto& b) { return a.values.size() < b.values.size(); };
  auto found = std::min_element(filter.tags.begin(), filter.tags.end(), fewer);
  return found == filter.tags.end() ? nullptr : &*found;
}

}  // namespace

// R1: an id names one event, an author or a tag value few, a kind many.
void Subscriptions::for_each_key(const nostr::Filter& filter, const auto& use) {
  if (filter.is_impossible()) return;
  std::string key;
  const nostr::TagCondition* tag = rarest_tag(filter);
  if (filter.ids) {
    for (const auto& id : *filter.ids) use((assign(key, About::Id, id.bytes()), key));
  } else if (filter.authors && (!tag || filter.authors->size() <= tag->values.size())) {
    for (const auto& author : *filter.authors)
      use((assign(key, About::Author, author.bytes()), key));
  } else if (tag) {
    for (const auto& value : tag->values) use((assign(key, tag->letter, value), key));
  } else if (filter.kinds) {
    for (nostr::Kind kind : *filter.kinds) use((assign(key, kind), key));
  } else {
    use((assign_anything(key), key));
  }
}

std::size_t Subscriptions::footprint(const std::vector<nostr::Filter>& filters) {
  // Nodes of by_key_ and of a bucket: what they hold, four words of a tree, and the allocation.
  constexpr std::size_t kNode = 4 * sizeof(void*) + 16;
  constexpr std::size_t kPlaces =
      2 * kNode + sizeof(std::string) + sizeof(Bucket) + sizeof(Place) + sizeof(Entry*);
  std::size_t bytes = kNode + sizeof(Subscriber) + sizeof(Entry);
  for (const nostr::Filter& filter : filters)
    for_each_key(filter,
                 [&](const std::string& key) { bytes += kPlaces + heap_footprint(key.size()); });
  return bytes;
}

void Subscriptions::add(Subscriber subscriber, Filters filters) {
  CHECK(filters);
  auto entry = std::make_unique<Entry>(Entry{subscriber, orders_++, std::move(filters)});
  for (std::uint32_t i = 0; i < entry->filters->size(); ++i)
    for_each_key((*entry->filters)[i], [&](const std::string& key) {
      by_key_[key].emplace(Place{entry->order, i}, entry.get());
    });
  bool added = by_subscriber_.emplace(subscriber, std::move(entry)).second;
  CHECK(added);
}

void Subscriptions::remove(Subscriber subscriber) {
  auto found = by_subscriber_.find(subscriber);
  if (found == by_subscriber_.end()) return;
  const Entry& entry = *found->second;
  for (std::uint32_t i = 0; i < entry.filters->size(); ++i)
    for_each_key((*entry.filters)[i], [&](const std::string& key) {
      auto bucket = by_key_.find(key);
      CHECK(bucket != by_key_.end());
      bucket->second.erase(Place{entry.order, i});
      if (bucket->second.empty()) by_key_.erase(bucket);
    });
  by_subscriber_.erase(found);
}

void Subscriptions::visit(std::string_view key, const nostr::Event& event) {
  auto bucket = by_key_.find(key);
  if (bucket == by_key_.end()) return;
  for (const auto& [place, entry] : bucket->second) {
    if (entry->seen_in_match == matches_) continue;  // R2
    if (!(*entry->filters)[place.filter].matches(event)) continue;
    entry->seen_in_match = matches_;
    hits_.push_back(entry);
  }
}

void Subscriptions::match(const nostr::Event& event, std::vector<Subscriber>& out) {
  matches_ += 1;
  hits_.clear();
  assign(key_, About::Id, event.id.bytes());
  visit(key_, event);
  assign(key_, About::Author, event.pubkey.bytes());
  visit(key_, event);
  assign(key_, event.kind);
  visit(key_, event);
  assign_anything(key_);
  visit(key_, event);
  for (nostr::Tag tag : event.tags) {
    if (tag.letter() == 0 || tag.size() < 2) continue;
    assign(key_, tag.letter(), tag.value());
    visit(key_, event);
  }
  std::ranges::sort(hits_, {}, &Entry::order);  // R3
  for (const Entry* entry : hits_) out.push_back(entry->subscriber);
}

}  // namespace graspd::relay
