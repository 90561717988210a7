// The whole contract between the fetch scheduler and the world: its inputs and its actions.
//
//   R1  A repository is named by its own address. Two of the same identifier share nothing.
//   R2  Every ReadAdvertisement is answered by one AdvertisementRead and every Fetch by one
//       Fetched, even after a Stop; until then it counts as running.
//   R3  Objects stay outside: messages carry oids that are wanted and missing, and counts.
//   R4  Wanted may be repeated at any time. Only an event that was not wanted before, that wants
//       more than before, or that has another source, is new.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/log.h"
#include "core/strong.h"
#include "core/time.h"
#include "git/fetch_domains.h"
#include "git/fetch_failure.h"
#include "git/fetch_url.h"
#include "git/oid.h"

namespace graspd::git::fetch {

using RepoKey = core::Strong<struct RepoKeyTag, std::string>;
using EventKey = core::Strong<struct EventKeyTag, std::string>;  // what the data is wanted for
using Attempt = core::Strong<struct AttemptTag, std::uint64_t>;

enum class Reason : std::uint8_t {
  State,
  PullRequest,
  Repair,      // what is served turned out to be incomplete
  PullRepair,  // the same, of what a pull request brought
};
constexpr bool is_repair(Reason reason) {
  return reason == Reason::Repair || reason == Reason::PullRepair;
}

struct Source {
  FetchUrl url;
  bool is_grasp = false;  // a GRASP server by its announcement: more likely to have it
};

// ---- what it is told

struct Wanted {
  RepoKey repo;
  EventKey event;
  Reason reason = Reason::State;
  std::vector<Oid> missing;
  std::vector<Source> sources;  // as announced, in that order
  bool synced = false;          // came from a peer: nobody is going to push
};
struct NoLongerWanted {  // released, replaced, expired
  RepoKey repo;
  EventKey event;
};
struct PushFailed {  // whoever was expected to push has tried
  RepoKey repo;
};
struct Arrived {  // by a push, by sharing
  RepoKey repo;
  std::vector<Oid> here;
};
struct AdvertisementRead {
  Attempt attempt;
  std::optional<FetchFailure> failure;
  std::optional<core::Duration> retry_after;
  std::vector<Oid> advertised;  // what is not wanted may be left out
  std::uint64_t digest = 0;     // of the whole advertisement: changes with it
};
struct Fetched {
  Attempt attempt;
  std::optional<FetchFailure> failure;
  std::optional<core::Duration> retry_after;
  std::vector<Oid> here;  // of all that is missing: what is in the repository now
  std::uint64_t bytes = 0;
  std::size_t commands = 1;  // that talked to the remote
};
struct VisitEnded {  // by whoever began one, see FetchScheduler::begin_visit()
  Ticket ticket;
  std::optional<FetchFailure> failure;
  std::optional<core::Duration> retry_after;
};
struct Alarm {};

using Input = std::variant<Wanted, NoLongerWanted, PushFailed, Arrived, AdvertisementRead, Fetched,
                           VisitEnded, Alarm>;

// ---- what it asks for

struct ReadAdvertisement {
  Attempt attempt;
  RepoKey repo;
  FetchUrl url;
};
struct Fetch {
  Attempt attempt;
  RepoKey repo;
  FetchUrl url;
  std::vector<Oid> oids;  // ascending
  bool advertised = true;
  std::size_t commands_max = 1;  // git commands this may cost
};
struct Stop {  // its answer is awaited all the same
  Attempt attempt;
};
struct Log {
  core::log::Level level = core::log::Level::Info;
  std::string text;
};
struct WakeAt {  // replaces the alarm armed before
  core::Instant at;
};

using Action = std::variant<ReadAdvertisement, Fetch, Stop, Log, WakeAt>;
using Actions = std::vector<Action>;

}  // namespace graspd::git::fetch
