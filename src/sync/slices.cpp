#include "sync/slices.h"

#include <algorithm>
#include <array>

#include "core/check.h"

namespace graspd::sync {
namespace {

constexpr std::size_t kQuotes = 3;        // two quotes and a comma
constexpr std::size_t kFilterFrame = 48;  // braces, key, limit
constexpr std::size_t kIdHex = 64;
constexpr std::size_t kGivenBytes = 200;  // a filter that somebody typed, about

bool is_of_roots(FilterClass filter_class) {
  return filter_class == FilterClass::RootE || filter_class == FilterClass::RootBigE ||
         filter_class == FilterClass::RootQ;
}

char letter(FilterClass filter_class) {
  switch (filter_class) {
    case FilterClass::Announcements:
    case FilterClass::Repositories:
    case FilterClass::Given:
      return 0;
    case FilterClass::States:
      return 'd';
    case FilterClass::RepoA:
      return 'a';
    case FilterClass::RootE:
      return 'e';
    case FilterClass::RootBigE:
      return 'E';
    case FilterClass::RepoBigA:
      return 'A';
    case FilterClass::RepoQ:
    case FilterClass::RootQ:
      return 'q';
  }
  CHECK(false);
  return 0;
}

std::string value(const RepoIndex& index, FilterClass filter_class, std::uint32_t id) {
  if (is_of_roots(filter_class)) return index.root(RootId{id}).hex();
  const Repo& repo = index.at(RepoId{id});
  return filter_class == FilterClass::States ? repo.address.identifier : repo.text;
}

}  // namespace

RequestClass request_class(FilterClass filter_class) {
  if (filter_class <= FilterClass::Repositories) return RequestClass::Announcements;
  if (filter_class == FilterClass::Given) return RequestClass::Given;
  return is_of_roots(filter_class) ? RequestClass::Roots : RequestClass::Repos;
}

std::size_t value_bytes(const RepoIndex& index, FilterClass filter_class, std::uint32_t id) {
  if (is_of_roots(filter_class)) return kIdHex + kQuotes;
  if (filter_class == FilterClass::Given) return kGivenBytes;
  const Repo& repo = index.at(RepoId{id});
  const auto& text = filter_class == FilterClass::States ? repo.address.identifier : repo.text;
  return text.size() + kQuotes;
}

std::size_t slice_bytes(const RepoIndex& index, const Slice& slice) {
  if (is_of_roots(slice.filter_class)) {
    return kFilterFrame + slice.ids.size() * (kIdHex + kQuotes);
  }
  std::size_t bytes = kFilterFrame;
  for (const std::uint32_t id : slice.ids) bytes += value_bytes(index, slice.filter_class, id);
  return bytes;
}

nostr::Filter to_filter(const RepoIndex& index, const Slice& slice) {
  nostr::Filter filter;
  switch (slice.filter_class) {
    case FilterClass::Announcements:
      filter.kinds = std::vector<nostr::Kind>{{10317}, {30617}, {30618}};
      return filter;
    case FilterClass::Repositories:
      filter.kinds = std::vector<nostr::Kind>{{10317}, {30617}};
      return filter;
    case FilterClass::States:
      filter.kinds = std::vector<nostr::Kind>{{30618}};
      break;
    case FilterClass::Given:
      return index.given(slice.ids.front());
    case FilterClass::RepoA:
    case FilterClass::RootE:
    case FilterClass::RootBigE:
    case FilterClass::RepoBigA:
    case FilterClass::RepoQ:
    case FilterClass::RootQ:
      break;
  }
  nostr::TagCondition condition{.letter = letter(slice.filter_class), .values = {}};
  for (const std::uint32_t id : slice.ids) {
    condition.values.push_back(value(index, slice.filter_class, id));
  }
  filter.tags.push_back(std::move(condition));
  nostr::normalise(filter);
  return filter;
}

Slice announcement_slice(bool grasp_server) {
  return {grasp_server ? FilterClass::Announcements : FilterClass::Repositories, {}};
}

std::vector<Slice> slice_class(const RepoIndex& index, FilterClass filter_class, const IdSet& ids,
                               SliceLimits limits, const Excluded& excluded) {
  std::vector<Slice> out;
  std::size_t bytes = 0;
  for (const std::uint32_t id : ids.to_vector()) {
    if (!excluded.empty() && excluded.contains({filter_class, id})) continue;
    const std::size_t more = value_bytes(index, filter_class, id);
    if (out.empty() || out.back().ids.size() >= limits.values || bytes + more > limits.bytes) {
      out.push_back({filter_class, {}});
      bytes = 0;
    }
    out.back().ids.push_back(id);
    bytes += more;
  }
  return out;
}

std::vector<Slice> slice_items(const RepoIndex& index, const Items& items, bool grasp_server,
                               SliceLimits limits, const Excluded& excluded) {
  std::vector<Slice> out;
  const auto add = [&](FilterClass filter_class, const IdSet& ids) {
    auto slices = slice_class(index, filter_class, ids, limits, excluded);
    std::move(slices.begin(), slices.end(), std::back_inserter(out));
  };
  if (!grasp_server) add(FilterClass::States, items.repos | items.states);
  add(FilterClass::RepoA, items.repos);
  add(FilterClass::RootE, items.roots);
  add(FilterClass::RootBigE, items.roots);
  add(FilterClass::RepoBigA, items.repos);
  add(FilterClass::RepoQ, items.repos);
  add(FilterClass::RootQ, items.roots);
  return out;
}

std::size_t group_bytes(const RepoIndex& index, const Group& group) {
  std::size_t bytes = 0;
  for (const Slice& slice : group) bytes += slice_bytes(index, slice);
  return bytes;
}

std::vector<Group> pack(const RepoIndex& index, const std::vector<Slice>& slices,
                        GroupLimits limits) {
  std::vector<Group> out;
  std::size_t bytes = 0;
  for (const Slice& slice : slices) {
    const std::size_t more = slice_bytes(index, slice);
    if (out.empty() || out.back().size() >= limits.filters || bytes + more > limits.bytes) {
      out.emplace_back();
      bytes = 0;
    }
    out.back().push_back(slice);
    bytes += more;
  }
  return out;
}

}  // namespace graspd::sync
