// derive_relay_targets (sync.md §4): the repo index inverted, and updated change by change.
//
//   R1  Always equal to the full inversion (`inverted`), which is computed without changes.
//   R2  A root is wanted at a relay while any followed repository it tags lists that relay.
//   R3  A repository at StateOnly brings no roots.
#pragma once
#include <map>
#include <vector>

#include "sync/items.h"
#include "sync/repo_index.h"

namespace graspd::sync {

// The scope of a target (§16); its reason and mode are the relay's (relay.h).
using Target = Items;

class Targets {
 public:
  const Target& of(RelayId relay) const;
  std::map<RelayId, Target> all() const;  // of relays that have one

  // After the index changed: `before` is the repository as it was.
  void repo_changed(const RepoIndex& index, RepoId id, const Repo& before);
  void root_added(const RepoIndex& index, RootId root, const std::vector<RepoId>& gained);
  void root_removed(const RepoIndex& index, RootId root, const std::vector<RepoId>& lost);

  // The relays whose target changed since the last call, and what came to it: planning costs what
  // is new, not what there is.
  struct Change {
    Items grown;
    bool shrank = false;
  };
  std::map<RelayId, Change> take_changed();

 private:
  // Roots come one by one; they are put into the sets together, which costs a fraction.
  struct Slot {
    Target target;
    Change change;
    std::vector<std::uint32_t> gathered;  // roots that are in neither yet
    bool is_changed = false;

    void gather(std::uint32_t root);
    void settle();
  };
  Slot& changing(RelayId relay);  // remembers that it changes
  void leave(const RepoIndex& index, RelayId relay, RepoId id, const Repo& before);
  void enter(RelayId relay, RepoId id, const Repo& repo);

  mutable std::vector<Slot> slots_;  // by RelayId, from zero; settled when it is looked at
  std::vector<RelayId> changed_;
};

std::map<RelayId, Target> inverted(const RepoIndex& index);

}  // namespace graspd::sync
