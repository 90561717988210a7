// What our own relay took, as sync wants to hear it: repositories from the catalog, threads from
// the store; history first, then live.
//
//   R1  A repository is told when its listing changes and hosts a repository here; one that waits
//       for git data is told as such.
//   R2  A thread is told when it is stored, and gone when a deletion took it out of the store.
//   R3  Whatever is stored about a thread makes it hot.
//   R4  A repository whose announcement says that it is private is told only where peers are
//       private, too: a public server asks nobody for it.
#pragma once
#include <functional>
#include <vector>

#include "serve/relay/ingest.h"
#include "serve/sync/sync_service.h"
#include "sync/messages.h"

namespace graspd::serve {

class SyncFeed {
 public:
  using Tell = std::function<void(sync::Input)>;
  SyncFeed(std::function<SyncSources::Changed()> changed_listings, const store::EventStore& store,
           sync::Peers peers)
      : changed_listings_(std::move(changed_listings)), store_(store), peers_(peers) {}

  struct History {
    std::vector<sync::Input> roots;
    std::vector<sync::Input> touches;  // say something once the roots are known
  };
  // Everything stored before. Blocks: for a worker.
  History threads(core::UnixSeconds now) const;

  void repositories(const Tell& tell) const;  // those that changed since the last call
  void news(const NewEvent& news, const Tell& tell) const;

 private:
  std::function<SyncSources::Changed()> changed_listings_;
  const store::EventStore& store_;
  sync::Peers peers_;
};

}  // namespace graspd::serve
