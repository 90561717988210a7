#include "grasp/pull_selection.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "nostr/json.h"

namespace graspd::grasp {
namespace {

// In one question to the store.
constexpr std::size_t kPullsAtOnce = 256;
// A part of what is too much goes besides, so that the next one does not cost a look at all.
constexpr std::size_t kSlackPart = 16;

const nostr::EventId& root_of(const PullRequest& pull) {
  return pull.parent ? *pull.parent : pull.id;
}

PullStatus status_of(nostr::Kind kind) {
  if (kind == kinds::kStatusClosed) return PullStatus::Closed;
  return kind == kinds::kStatusApplied ? PullStatus::Applied : PullStatus::Open;
}

using Said = std::map<nostr::EventId, PullStatus>;  // of roots

core::Result<core::Done, store::StoreError> read_statuses(
    const std::vector<std::string>& roots, const std::set<nostr::PublicKey>& maintainers,
    const store::Snapshot& here, core::UnixSeconds now, Said& said) {
  nostr::Filter filter;
  filter.kinds = {
      {kinds::kStatusOpen, kinds::kStatusApplied, kinds::kStatusClosed, kinds::kStatusDraft}};
  filter.authors = std::vector(maintainers.begin(), maintainers.end());
  filter.tags = {{'e', roots}};
  nostr::normalise(filter);
  store::Cursor cursor({std::move(filter)}, std::numeric_limits<store::Serial>::max());
  const auto visit = [&](const store::Found& found) {  // newest first
    const auto event = nostr::JsonReader().event(found.json);
    if (!event) return;
    for (const nostr::Tag tag : event->tags)
      if (const auto id = tag.name() == "e" ? nostr::EventId::from_hex(tag.value()) : std::nullopt)
        said.emplace(*id, status_of(event->kind));
  };
  for (;;) {
    const auto read = here.read(cursor, {}, now, visit);
    if (!read) return core::Failure{read.error()};
    if (*read == store::ReadState::Finished) return core::Done{};
  }
}

// R3
auto order_of(const PullEntry& entry) {
  const int rank = !entry.pull ? 0 : entry.status == PullStatus::Applied ? 2 : 1;
  return std::tuple(rank, entry.pull ? entry.pull->created_at : 0, entry.id);
}

}  // namespace

bool is_status(nostr::Kind kind) {
  return kind == kinds::kStatusOpen || kind == kinds::kStatusApplied ||
         kind == kinds::kStatusClosed || kind == kinds::kStatusDraft;
}

core::Result<PullStatuses, store::StoreError> pull_statuses(
    std::span<const PullRequest* const> pulls, const std::set<nostr::PublicKey>& maintainers,
    const store::Snapshot& here, core::UnixSeconds now) {
  PullStatuses statuses;
  if (maintainers.empty()) return statuses;
  for (std::size_t at = 0; at < pulls.size(); at += kPullsAtOnce) {
    const auto some = pulls.subspan(at, std::min(kPullsAtOnce, pulls.size() - at));
    std::vector<std::string> roots;
    for (const PullRequest* pull : some) roots.push_back(root_of(*pull).hex());
    Said said;
    if (auto read = read_statuses(roots, maintainers, here, now, said); !read)
      return core::Failure{read.error()};
    for (const PullRequest* pull : some)
      if (const auto found = said.find(root_of(*pull)); found != said.end())
        statuses.emplace(pull->id, found->second);
  }
  return statuses;
}

bool NewestPull::covers(const PullRequest& pull) const {
  return NewestPull{pull.created_at, pull.id} <= *this;
}

PullSelection drop_pulls(std::vector<PullEntry> entries, std::size_t count) {
  std::erase_if(entries, [](const PullEntry& entry) { return entry.is_members; });
  count = std::min(count, entries.size());
  std::ranges::sort(entries, {}, order_of);
  PullSelection selection{.strangers_left = entries.size() - count};
  for (std::size_t i = 0; i < count; ++i) {
    const PullEntry& entry = entries[i];
    selection.dropped.push_back(entry.id);
    if (!entry.pull || entry.status == PullStatus::Applied) continue;
    const NewestPull newest_seen{entry.pull->created_at, entry.id};
    if (!selection.newest_seen || *selection.newest_seen < newest_seen)
      selection.newest_seen = newest_seen;
  }
  return selection;
}

PullSelection select_pulls(std::vector<PullEntry> entries, std::size_t max) {
  const auto strangers = static_cast<std::size_t>(
      std::ranges::count_if(entries, [](const PullEntry& entry) { return !entry.is_members; }));
  const std::size_t excess = strangers > max ? strangers - max + max / kSlackPart : 0;
  return drop_pulls(std::move(entries), excess);
}

}  // namespace graspd::grasp
