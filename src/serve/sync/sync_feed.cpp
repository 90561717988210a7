#include "serve/sync/sync_feed.h"

#include "core/log.h"
#include "nostr/json.h"

namespace graspd::serve {
namespace {

constexpr nostr::Kind kPatch{1617}, kPullRequest{1618}, kIssue{1621};
// A thread with an event younger than this is hot (sync.md §5).
constexpr core::UnixSeconds kHotSeconds = 30 * 24 * 3600;
constexpr store::Budget kHistorySlice{.bytes = 4 * 1024 * 1024, .entries = 100'000};

bool is_root(const nostr::Event& event) {
  return event.kind == kPatch || event.kind == kPullRequest || event.kind == kIssue;
}

sync::RootSeen root_of(const nostr::Event& event) {
  sync::RootSeen root{event.id, {}, event.created_at};
  for (const nostr::Tag tag : event.tags) {
    const auto address = tag.name() == "a" ? nostr::Address::parse(tag.value()) : std::nullopt;
    if (address && address->kind == grasp::kinds::kAnnouncement) root.repos.push_back(*address);
  }
  return root;
}

template <class Use>
void each_reference(const nostr::Event& event, const Use& use) {
  for (const nostr::Tag tag : event.tags) {
    if (tag.name() != "e" && tag.name() != "E" && tag.name() != "q") continue;
    if (const auto id = nostr::EventId::from_hex(tag.value())) use(*id);
  }
}

sync::Input told(const grasp::Coordinate& coordinate, const std::optional<grasp::Listing>& listing,
                 sync::Peers peers) {
  const nostr::Address address = coordinate.announcement_address();
  const bool is_hidden =
      listing && listing->announcement.is_private && peers == sync::Peers::Public;  // R4
  if (!listing || !listing->hosts || is_hidden) return sync::RepoGone{address};
  const auto level =
      listing->place == grasp::Place::Served ? sync::Level::Full : sync::Level::StateOnly;
  return sync::RepoSeen{address, level, listing->announcement.relays, listing->announcement.clone};
}

}  // namespace

SyncFeed::History SyncFeed::threads(core::UnixSeconds now) const {
  nostr::Filter roots, recent;
  roots.kinds = {kPatch, kPullRequest, kIssue};
  recent.since = now - kHotSeconds;
  History history;
  nostr::JsonReader reader;
  const auto take = [&](const store::Found& found) {
    const auto event = reader.event(found.json);
    if (!event) return;
    if (is_root(*event)) history.roots.push_back(root_of(*event));
    each_reference(*event, [&](const nostr::EventId& id) {
      history.touches.push_back(sync::RootTouched{id, event->created_at});
    });
  };
  store::Cursor cursor({roots, recent}, store_.newest());
  auto state = store::ReadState::Unfinished;
  while (state == store::ReadState::Unfinished) {
    const auto snapshot = store_.snapshot();
    const auto read = snapshot ? (*snapshot)->read(cursor, kHistorySlice, now, take)
                               : core::Failure{snapshot.error()};
    if (!read) {
      core::log::error("sync: cannot read the threads kept here: {}",
                       store::describe(read.error()));
      break;
    }
    state = *read;
  }
  return history;
}

void SyncFeed::repositories(const Tell& tell) const {
  for (const auto& [coordinate, listing] : changed_listings_())
    tell(told(coordinate, listing, peers_));
}

void SyncFeed::news(const NewEvent& news, const Tell& tell) const {
  const nostr::Event& event = news.event->event;
  if (news.serial == 0) return;  // ephemeral
  if (is_root(event)) tell(root_of(event));
  if (event.kind != nostr::kinds::kDeletion) {
    each_reference(
        event, [&](const nostr::EventId& id) { tell(sync::RootTouched{id, event.created_at}); });
    return;
  }
  const auto snapshot = store_.snapshot();
  if (!snapshot) return;
  each_reference(event, [&](const nostr::EventId& id) {
    if (!(*snapshot)->contains(id)) tell(sync::RootGone{id});
  });
}

}  // namespace graspd::serve
