// Which repositories are being repaired: what is lost there is ordered from other servers.
//
//   R1  A repository with lost objects counts as incomplete until a look has found it whole.
//   R2  An order stands until the repository is whole or no longer hosted. It is repeated, because
//       the fetch scheduler may have had no space for it.
//   R3  What was fetched again lies beside what was there and counts twice for the quota: it is
//       repacked when the repair is over.
//
// Thread-safety: from any thread.
#pragma once
#include <mutex>
#include <set>

#include "serve/fetch/fetch_repair.h"
#include "serve/host/hosting.h"

namespace graspd::serve {

class FetchDriver;

class Repairs {
 public:
  explicit Repairs(Hosting& hosting) : hosting_(hosting) {}

  // Without a fetch driver nothing is ordered.
  void open(FetchDriver* fetches) { fetches_ = fetches; }
  bool are_possible() const { return fetches_ != nullptr; }

  void order(const grasp::Coordinate& coordinate, const std::vector<git::Oid>& tips);
  // What a look has found; nothing: it is whole.
  void set(const grasp::Coordinate& coordinate, bool is_incomplete, Damage damage);
  void forget(const grasp::Coordinate& coordinate);

 private:
  void drop_doubles(const grasp::Coordinate& coordinate);  // R3

  Hosting& hosting_;
  FetchDriver* fetches_ = nullptr;
  std::mutex mutex_;
  std::set<grasp::Coordinate> ordered_;
};

}  // namespace graspd::serve
