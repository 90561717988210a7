// How a refused job asks otherwise (sync.md §5): with less, until the relay takes it.
//
//   R1  A filter that is refused is halved until the values that are refused stand alone; those are
//       parked (Books). Values longer than most relays take are parked at once.
//   R2  An answer that would be too large is asked for with fewer values, then for less time.
//   R3  A filter that was given is asked for as it is, or not at all.
//   R4  What a request asks for is never lost: its parts ask for it together (Batches).
#pragma once
#include <optional>
#include <string>

#include "sync/books.h"
#include "sync/wires.h"

namespace graspd::sync {

class JobRemedies {
 public:
  JobRemedies(PeerContext& peer, Batches& batches, Books& books);

  // Each filter by itself. `brought`: the filters that the sweep brought something for, a bit each.
  void expand(core::Now now, JobKey key, Job::Phase phase, std::uint64_t brought = ~0ULL);
  void less_at_once(core::Now now, JobKey key, const std::string& why);  // R2
  void fewer_values(core::Now now, JobKey key, const std::string& why);  // R1
  void less_time(core::Now now, JobKey key, std::optional<core::UnixSeconds> middle);
  bool smaller_pages(JobKey key);             // false when they are small already
  void fit_bytes(core::Now now, JobKey key);  // into what a request may have now

 private:
  PeerContext& peer_;
  Batches& batches_;
  Books& books_;
};

}  // namespace graspd::sync
