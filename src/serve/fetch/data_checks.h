// Checks quickly whether a repository on disk has what its served state declares, and again only
// when the folder or the state has changed.
//
//   R1  A repository lacks something when its folder cannot be read, when it has no branch or tag
//       at all, when the object of one is gone, or when it lost a ref or object of a state that it
//       was at before. A repository that has not reached its newest state yet lacks nothing: it
//       serves the previous state.
//   R2  If no served state declares anything, nothing is missing: an empty repository is correct.
//   R3  known() costs a fixed number of system calls, because every git request calls it. It does
//       not notice a nested ref or a pack that was changed in place; check_if_changed() does.
//
// Thread-safety: from any thread.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gitio/repository_stamp.h"
#include "serve/host/hosting.h"

namespace graspd::serve {

// What a repository that is served is to be, at some moment.
struct DeclaredData {
  grasp::Ruling ruling;
  std::optional<grasp::RepoState> state;  // that is served; none: there is nothing to look at

  bool is_as_in(const DeclaredData& other) const;
};
// Nothing, unless it is served and somebody has signed a state.
std::optional<grasp::Ruling> ruling_of(const grasp::PolicySnapshot& policy,
                                       const grasp::Coordinate& coordinate);
std::optional<DeclaredData> declared_data(const grasp::PolicySnapshot& policy,
                                          const store::EventStore& store,
                                          const grasp::Coordinate& coordinate);
std::optional<DeclaredData> declared_data(const Hosting& hosting,
                                          const grasp::Coordinate& coordinate);

struct DataFound {
  bool declares = false;                    // R2
  std::string lacking;                      // R1: in words; empty: nothing
  bool is_moved = false;                    // refs are not as the served state declares them
  std::vector<git::Oid> tips;               // what the state declares, when something is lacking
  std::optional<git::Fingerprint> made_of;  // none: it cannot be read
};

class DataChecks {
 public:
  using Found = std::shared_ptr<const DataFound>;

  explicit DataChecks(Hosting& hosting) : hosting_(hosting) {}

  Found known(const grasp::Coordinate& coordinate) const;       // R3; nullptr: it must be checked
  Found check(const grasp::Coordinate& coordinate);             // blocks
  Found check_if_changed(const grasp::Coordinate& coordinate);  // blocks
  void keep_only(const std::set<grasp::Coordinate>& coordinates);

 private:
  struct Entry {
    gitio::RepositoryStamp stamp;
    std::uint64_t thorough = 0;
    nostr::EventId state;
    Found found;
  };

  std::optional<nostr::EventId> served_state(const grasp::Coordinate& coordinate) const;
  DataFound look(const grasp::Coordinate& coordinate, const grasp::RepoState& state) const;

  Hosting& hosting_;
  mutable std::mutex mutex_;
  std::map<grasp::Coordinate, Entry> entries_;
};

}  // namespace graspd::serve
