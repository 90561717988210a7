// Fetches objects from a remote into quarantine.
//
//   R1  A remote moves no ref. Fetched objects are in a Staging beside the repository, whose
//       objects it borrows. The caller moves them in under the repository's lock, and a state moves
//       the refs.
//   R2  Exactly the wanted oids with their history, without what the repository has. Wants that the
//       remote refuses are dropped, and the rest is fetched. This takes a few processes, never one
//       per oid.
//   R3  Every object is checked (fsck), and the fetched history is complete.
//   R4  Limited: bytes of packs, silence, memory. At a limit the process group is ended, gently
//       first. Nothing is left behind: the Staging removes itself, or the sweep at start does.
//   R5  Connections go only to allowed addresses: see fetch_address.h. No redirects, no
//       credentials, no proxies, no submodules, no hooks, no unrequested tags, no dumb HTTP.
//
// Thread-safety: fetch() from any thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <vector>

#include "core/result.h"
#include "git/fetch_failure.h"
#include "git/fetch_url.h"
#include "git/oid.h"
#include "gitio/fetch_options.h"
#include "gitio/staging.h"

namespace graspd::gitio {

struct FetchRequest {
  git::FetchUrl url;
  std::filesystem::path root;  // of all repositories: the Staging lies below
  std::filesystem::path repo;  // the repository the objects are meant for
  std::vector<git::Oid> wants;
  // To repair a repository whose history has holes: what it has is not believed, all comes anew.
  bool refetch = false;
};

struct Fetched {
  Staging staging;               // move_into(repository), under the repository's lock
  std::vector<git::Oid> came;    // ascending; never empty
  std::vector<git::Oid> lacked;  // wants the remote does not give, ascending
  std::uint64_t bytes = 0;       // on disk
  std::size_t commands = 0;      // git commands that talked to the remote
};

struct FetchTrouble {
  git::FetchError error;
  std::vector<git::Oid> lacked;  // as far as known
  std::size_t commands = 0;
};

// Blocks. `stop` ends it within moments (plus options.grace if git is stubborn).
core::Result<Fetched, FetchTrouble> fetch(const FetchRequest& request, const FetchOptions& options,
                                          const std::stop_token& stop);

}  // namespace graspd::gitio
