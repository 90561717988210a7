// The fetch of what one repository lacks: what is wanted now, and how far this pass has come.
//
//   R1  A pass asks every source once: its advertisement, then everything wanted and advertised in
//       one fetch. Only when no source has more of that, it requests a few single oids.
//   R2  Objects for an event that still waits for its push are not part of the pass.
//   R3  Between passes there is a pause, doubling; progress and new wants reset it.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "git/fetch_messages.h"
#include "git/fetch_scheduler_options.h"
#include "git/fetch_sources.h"

namespace graspd::git::fetch {

// Data that somebody with authority has signed for comes first, and never waits for what anybody
// may propose: the two are fetched apart.
enum class Lane : std::uint8_t { Signed, Offered };
Lane lane_of(Reason reason);

struct Want {
  Reason reason = Reason::State;
  std::vector<Oid> missing;  // ascending
  std::vector<Source> sources;
  core::Instant due;
  core::Instant since;  // the first time it was wanted
};

struct Failed {
  FetchFailure why;
  core::Instant at;
};

struct FetchSource {  // a source within a pass
  enum class Stage : std::uint8_t { Unread, Advertised, Late, Done };

  FetchUrl url;
  bool is_grasp = false;
  std::vector<EventKey> events;  // that name it
  Stage stage = Stage::Unread;
  std::optional<Attempt> busy{};
  std::vector<Oid> advertised{};  // ascending; less what was asked for in vain
  std::size_t singles = 0;
  std::optional<FetchFailure> failure{};  // why it is done
  std::optional<Failed> failed{};         // its last command, also of an earlier pass
};

struct FetchTask {  // a command of this fetch that runs
  Attempt attempt;
  FetchUrl url;
  core::Instant since;
};

class FetchJob {
 public:
  // True when it is news.
  bool want(const EventKey& event, Want want);
  bool drop(const EventKey& event);
  void expect_no_push(core::Instant due);
  // How many oids this ticks off, and how many events then want nothing more and go.
  struct Ticked {
    std::size_t oids = 0, events = 0;
  };
  Ticked arrived(const std::vector<Oid>& here);  // ascending

  bool empty() const { return wants_.empty(); }
  const std::map<EventKey, Want>& wants() const { return wants_; }
  std::size_t oids() const;
  bool misses_any(const FetchSource& fetch_source) const;
  std::vector<Oid> missing(const FetchSource& fetch_source) const;  // ascending
  bool misses_any(const std::vector<Oid>& oids) const;

  core::Instant since() const;  // of the want that waits longest

  bool in_pass() const { return in_pass_; }
  void begin_pass(const Domains& domains, const Options& options, core::Instant now,
                  std::size_t first_event);
  void end_pass(const Options& options, core::Instant now, core::Duration jitter);
  void start_afresh(core::Instant due);
  void retry_soon() { passes_ = 0; }  // there was progress
  // When something is to be begun: a pass, or the part of one that has fallen due.
  std::optional<core::Instant> due_at() const;

  std::vector<FetchSource>& fetch_sources() { return sources_; }
  const std::vector<FetchSource>& fetch_sources() const { return sources_; }
  FetchSource* find(const FetchUrl& url);
  std::vector<FetchTask>& tasks() { return tasks_; }
  const std::vector<FetchTask>& tasks() const { return tasks_; }
  std::optional<core::Instant>& late_until() { return late_until_; }
  std::uint32_t passes() const { return passes_; }

 private:
  std::map<EventKey, Want> wants_;
  std::set<EventKey> in_hand_;  // the wants of this pass
  bool in_pass_ = false;
  std::vector<FetchSource> sources_;  // of this pass, or of the last one
  std::vector<FetchTask> tasks_;
  std::optional<core::Instant> late_until_;  // how long single oids may wait for their turn
  std::uint32_t passes_ = 0;                 // without progress
  core::Instant retry_at_;
};

}  // namespace graspd::git::fetch
