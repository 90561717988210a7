#include "lmdb/pages.h"

#include <algorithm>
#include <limits>

namespace graspd::lmdb {
namespace {

constexpr std::size_t kLookupsPerPage = 64;
constexpr std::size_t kShortRange = 4;  // pages: most questions end before

Page to_page(const MDB_val& value) {
  if (value.mv_size % sizeof(EntryBytes) != 0) throw Failed{MDB_CORRUPTED};
  return {static_cast<const EntryBytes*>(value.mv_data), value.mv_size / sizeof(EntryBytes)};
}

// Pages lie all over the file. Asked for one by one, their lines would be waited for.
void fetch(Page page) {
  constexpr std::size_t kLine = 64;
  const auto bytes = std::as_bytes(page);
  for (std::size_t at = 0; at < bytes.size(); at += kLine) __builtin_prefetch(&bytes[at]);
}

// Those that exist and fit the filter's times.
std::vector<EntryBytes> find_ids(const Txn& txn, const Tables& tables, const nostr::Filter& filter,
                                 std::span<const nostr::EventId> ids) {
  std::vector<EntryBytes> found;
  for (const nostr::EventId& id : ids) {
    const auto entry = find_entry(txn, tables, id);
    if (!entry) continue;
    const core::UnixSeconds created_at = created_at_of(*entry);
    if (filter.since && created_at < *filter.since) continue;
    if (filter.until && created_at > *filter.until) continue;
    found.push_back(*entry);
  }
  return found;
}

std::span<const store::Position> behind(std::span<const store::Position> positions,
                                        const std::optional<store::Position>& after) {
  if (!after) return positions;
  const auto first =
      std::upper_bound(positions.begin(), positions.end(), *after, store::comes_before);
  return positions.subspan(static_cast<std::size_t>(first - positions.begin()));
}

}  // namespace

Page IndexReader::seek(const void* owner, const Key& key, const EntryBytes& from) {
  owner_ = owner;
  MDB_val k = to_val(key.view()), value = to_val(from);
  if (!cursor_.move(MDB_GET_BOTH_RANGE, k, value)) return {};
  const Page first = to_page(value);
  // Gives the whole page wherever the cursor stands in it, and nothing for a key with one value.
  MDB_val whole{};
  if (!cursor_.move(MDB_GET_MULTIPLE, k, whole) || whole.mv_data == nullptr) return first;
  const Page page = to_page(whole);
  const auto skipped = static_cast<std::size_t>(first.data() - page.data());
  if (skipped >= page.size()) throw Failed{MDB_CORRUPTED};
  return page.subspan(skipped);
}

Page IndexReader::next(const void* owner, const Key& key, Page before) {
  if (owner_ != owner) {
    EntryBytes behind = before.back();
    std::fill(behind.begin() + kPositionSize, behind.end(), 0xff);
    return seek(owner, key, behind);
  }
  MDB_val k{}, value{};
  if (!cursor_.move(MDB_NEXT_MULTIPLE, k, value)) return {};
  const Page page = to_page(value);
  fetch(page);
  return page;
}

Bounds Bounds::of(const nostr::Filter& filter, const std::optional<store::Position>& after) {
  constexpr auto kEver = std::numeric_limits<core::UnixSeconds>::max();
  constexpr auto kNever = std::numeric_limits<core::UnixSeconds>::min();
  EntryBytes from = first_at(filter.until.value_or(kEver));
  if (after) from = std::max(from, just_behind(*after));
  return {from, filter.since.value_or(kNever)};
}

Page KeyPages::read() {
  return last_ = last_.empty() ? reader_.seek(this, key_, bounds_.from)
                               : reader_.next(this, key_, last_);
}

Page KeyPages::next() {
  if (ended_) return {};
  const Page page = within_bounds(ahead_ ? *std::exchange(ahead_, std::nullopt) : read());
  ended_ = ended_ || page.empty();
  if (!ended_ && ++shown_ > kShortRange) ahead_ = read();  // R3
  return page;
}

Page KeyPages::within_bounds(Page page) {
  if (page.empty() || created_at_of(page.back()) >= bounds_.since) return page;
  ended_ = true;
  const auto end = std::partition_point(page.begin(), page.end(), [this](const EntryBytes& entry) {
    return created_at_of(entry) >= bounds_.since;
  });
  return page.first(static_cast<std::size_t>(end - page.begin()));
}

Page PositionPages::next() {
  page_.clear();
  while (page_.empty() && !positions_.empty()) {
    const std::size_t some = std::min(kLookupsPerPage, positions_.size());
    for (const store::Position& position : positions_.first(some)) {
      if (const auto entry = find_entry(txn_, tables_, position.id)) page_.push_back(*entry);
    }
    positions_ = positions_.subspan(some);
  }
  return page_;
}

std::unique_ptr<PageSource> source_of_ids(const Txn& txn, const Tables& tables,
                                          const nostr::Filter& filter,
                                          const std::optional<store::Position>& after,
                                          store::FoundIds& found, std::size_t& lookups) {
  const std::span<const nostr::EventId> ids(*filter.ids);
  const bool is_first = found.looked_up == 0;
  const std::size_t some = std::min(lookups, ids.size() - found.looked_up);
  std::vector<EntryBytes> entries =
      find_ids(txn, tables, filter, ids.subspan(found.looked_up, some));
  for (const EntryBytes& entry : entries) found.positions.push_back(position_of(entry));
  found.looked_up += some;
  lookups -= some;
  if (found.looked_up < ids.size()) return nullptr;
  if (some > 0) std::sort(found.positions.begin(), found.positions.end(), store::comes_before);
  if (!is_first)
    return std::make_unique<PositionPages>(txn, tables, behind(found.positions, after));
  std::sort(entries.begin(), entries.end());
  return std::make_unique<EntryPages>(std::move(entries));
}

}  // namespace graspd::lmdb
