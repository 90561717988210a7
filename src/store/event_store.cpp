#include "store/event_store.h"

#include <algorithm>
#include <limits>

#include "core/check.h"

namespace graspd::store {
namespace {

std::vector<Quota> quotas_of(std::span<const nostr::Filter> filters) {
  std::vector<Quota> quotas;
  for (const nostr::Filter& filter : filters)
    quotas.emplace_back(filter.limit.value_or(Quota::kAll));
  return quotas;
}

}  // namespace

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
    : Cursor(filters_asked, up_to_serial, quotas_of(filters_asked)) {}

Cursor::Cursor(std::vector<nostr::Filter> filters_asked, Serial up_to_serial,
               std::vector<Quota> given)
    : filters(std::move(filters_asked)),
      quotas(std::move(given)),
      up_to(up_to_serial),
      found_ids(filters.size()) {
  CHECK(quotas.size() == filters.size());
  unsure = std::ranges::any_of(quotas, [](const Quota& quota) { return !quota.is_open(); });
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
