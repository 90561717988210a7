// Historic work on one connection: batches of jobs (sync.md §6; PendingSyncIndex of §3).
#pragma once
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/time.h"
#include "sync/items.h"
#include "sync/ledger.h"
#include "sync/messages.h"
#include "sync/page_read.h"
#include "sync/slices.h"
#include "sync/window.h"

namespace graspd::sync {

struct JobKey {
  std::uint32_t batch = 0, job = 0;
  auto operator<=>(const JobKey&) const = default;
};

// One question about the past, answered by as many requests as it takes.
struct Job {
  enum class Method : std::uint8_t {
    Sweep,      // one REQ for several filters; brings what there is, and makes jobs that prove it
    Pages,      // one filter, page by page
    Reconcile,  // one filter by negentropy, then fetching by id
  };
  enum class Phase : std::uint8_t {
    Ready,     // to be sent
    Flying,    // on the wire
    Fetching,  // reconciled; ids are outstanding
    Stuck,     // failed; the batch tries it again
    Done,
  };
  Method method = Method::Pages;
  Phase phase = Phase::Ready;
  Group slices;  // one, unless it is a sweep
  Window window;
  std::uint32_t depth = 0;  // of splitting by time
  std::optional<PageRead> pages;
  std::size_t ids_asked = 0, ids_waiting = 0, ids_lost = 0;
  core::Instant not_before{};
  std::size_t held_back = 0;  // with so few events, at that time
  core::Instant held_back_at{};
  bool brought_nothing = false;  // a sweep, for this filter
  bool alone = false;            // a request shared with others was refused, or not empty
  std::string why;               // of the last failure

  // What the next page is expected to prove: jobs of which that is the same can share a request.
  PageRead::End expected_end() const {
    if (method != Method::Pages || phase != Phase::Ready || alone) return PageRead::End::NotYet;
    if (pages) return pages->end();
    return brought_nothing ? PageRead::End::EmptyPage : PageRead::End::NotYet;
  }
};

struct Batch {
  enum class Kind : std::uint8_t { Announcements, Items, CatchUp, Rotation, Given };
  Kind kind = Kind::Items;
  Source source = Source::Historic;
  Items items;  // confirmed when all jobs are done and nothing is owed
  Ledger ledger;
  std::map<std::uint32_t, Job> jobs;
  std::uint32_t next_job = 0;
  std::uint32_t splits = 0;  // by time
  std::uint32_t mended = 0;  // all jobs were done, and something was still owed
  bool failed = false;       // some job is stuck, or was
  core::Instant retry_at{};
  core::UnixSeconds started = 0;
  std::uint64_t arrived = 0, stored = 0;  // events

  void add(Job job) { jobs.emplace(next_job++, std::move(job)); }
};

}  // namespace graspd::sync
