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

}  // namespace graspd::store
