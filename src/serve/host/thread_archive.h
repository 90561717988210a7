// What hung on a repository (grasp/threads.h): its end, its return, and its loss. One thread at low
// priority: what happens to the threads of one repository happens in order.
//
//   R1  Some events at a time: others write too. Before each part it is checked whether the
//       repository has been announced again, or has gone again meanwhile.
//   R2  States that rule a repository wait again as soon as it is announced again, before it is
//       decided whether its data is here: they are served when the announcement is.
//   R3  A pull request that comes back has lost its refs: it is decided anew. One that was deleted
//       meanwhile loses what refs it has.
//   R4  A withdrawn repository (grasp/withdrawal.h) is still listed, and its states stay: what
//       hangs on it is kept apart until it is served again.
#pragma once
#include <span>
#include <vector>

#include "grasp/threads.h"
#include "grasp/transition.h"
#include "serve/host/hosting.h"
#include "serve/runtime/workers.h"

namespace graspd::serve {

class ThreadArchive {
 public:
  explicit ThreadArchive(Hosting& hosting) : hosting_(hosting) {}
  void stop() { worker_.stop(); }

  // Kept apart, unless it is announced again.
  void archive(const grasp::Departed& gone);
  // Gone for good, likewise.
  void remove(const grasp::Departed& gone);
  // What was kept apart is served again, or goes for good.
  void restore(const grasp::Coordinate& back);
  void forget(const grasp::Coordinate& lost);

  // R2. Blocks: for worker threads.
  void restore_states(const nostr::Event& announcement);

 private:
  enum class Keep { Yes, No };
  void end(const grasp::Departed& gone, Keep keep);
  bool end_some(const grasp::Coordinate& gone, std::span<const nostr::EventId> some, Keep keep,
                const grasp::EndedThreads& all);
  void end_states(const grasp::Coordinate& gone, Keep keep, const grasp::EndedThreads& all);
  store::Changes removals(const grasp::Coordinate& gone, std::span<const nostr::EventId> some,
                          Keep keep) const;
  void bring_back(const grasp::Coordinate& back);
  void lose(const grasp::Coordinate& lost);
  bool serve_again(const grasp::Coordinate& back, std::vector<nostr::WireEventPtr> events);
  void settled(const grasp::Coordinate& repository);
  // Unless the repository is back. False: nothing was changed.
  enum class Back { Served, Listed };
  bool change_unless(Back back, const grasp::Coordinate& gone, const PolicyOwner::Request& request);

  Hosting& hosting_;
  Workers worker_{1, Workers::Priority::Background};
};

}  // namespace graspd::serve
