// What our own relay tells: which repositories and root events are followed, and on which relays.
// Folds it into the index, the targets and the places (R3 and R7 of sync/engine.h).
//
//   R1  Nothing changes before commit(), which folds everything that was staged.
//   R2  A repository changes once in fill_places(), however many of its relays got a place.
#pragma once
#include <functional>
#include <variant>
#include <vector>

#include "sync/places.h"
#include "sync/relay_directory.h"
#include "sync/session_context.h"

namespace graspd::sync {

class Feed {
 public:
  using Item = std::variant<RepoSeen, RepoGone, RootSeen, RootGone>;

  Feed(SessionContext& context, RelayDirectory& relays)
      : context_(context), relays_(relays), places_(context.options.places) {}

  // True: it is the first of a batch, after the history.
  bool stage(Item item);
  // The history was read. Those of the bootstrap relays that were not followed yet.
  std::vector<RelayId> end_history(core::Now now);
  void commit();  // R1
  // The relays that are followed from now on.
  std::vector<RelayId> fill_places(core::Now now);
  void leave(const nostr::RelayUrl& url) { places_.leave(url); }

  bool is_complete() const { return is_complete_; }  // the history was read
  bool is_empty() const { return staged_.empty(); }
  const Places& places() const { return places_; }

 private:
  void apply(const RepoSeen& in);
  void apply(const RepoGone& in);
  void apply(const RootSeen& in);
  void apply(const RootGone& in);
  void link(RepoId repo, const std::vector<RelayId>& more);
  void change_repo(RepoId id, const std::function<void()>& change);

  SessionContext& context_;
  RelayDirectory& relays_;
  Places places_;
  std::vector<Item> staged_;
  bool is_complete_ = false;
};

}  // namespace graspd::sync
