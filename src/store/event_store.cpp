#include "store/event_store.h"

#include <limits>

namespace graspd::store {

std::string_view describe(StoreError error) {
  switch (error) {
    case StoreError::DiskFull:
      return "the disk is full";
    case StoreError::Io:
      return "the disk cannot be read or written";
    case StoreError::Corrupt:
      return "the database is damaged";
    case StoreError::Busy:
      return "the database is busy";
  }
  CHECK(false);
}

bool comes_before(const Position& a, const Position& b) {
  if (a.created_at != b.created_at) return a.created_at > b.created_at;
  return a.id < b.id;
}

Cursor::Cursor(std::vector<nostr::Filter> filters_asked, Serial up_to_serial)
    : filters(std::move(filters_asked)), up_to(up_to_serial), found_ids(filters.size()) {
  for (const nostr::Filter& filter : filters) {
    remaining.push_back(filter.limit.value_or(std::numeric_limits<std::uint64_t>::max()));
    unsure = unsure || remaining.back() == 0;
  }
}

Survey::Survey(std::vector<nostr::Filter> filters_asked, std::uint64_t most)
    : filters(std::move(filters_asked)), max(most), found_ids(filters.size()) {}

Budget Budget::unlimited() {
  return {std::numeric_limits<std::size_t>::max(), std::numeric_limits<std::size_t>::max()};
}

core::Result<std::uint64_t, StoreError> Snapshot::count(std::span<const nostr::Filter> filters,
                                                        core::UnixSeconds now, std::uint64_t max,
                                                        const AuthorVisitor& pubkeys) const {
  Survey survey({filters.begin(), filters.end()}, max);
  auto state = count(survey, Budget::unlimited(), now, pubkeys);
  if (!state) return core::Failure{state.error()};
  return survey.seen;
}

core::Result<bool, StoreError> Snapshot::scan(const nostr::Filter& filter, core::UnixSeconds now,
                                              std::uint64_t max,
                                              const PositionVisitor& visit) const {
  Survey survey({filter}, max);
  auto state = scan(survey, Budget::unlimited(), now, visit);
  if (!state) return core::Failure{state.error()};
  return !survey.cut;
}

}  // namespace graspd::store
