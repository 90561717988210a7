// Which repository is to be looked at next, and what came of it: the slow round that turns hope
// into knowledge.
//
// A value without disk, threads, clock or chance of its own. Whoever drives it asks begin() for a
// task, performs it and says what came of it.
//
//   R1  Each is looked at once in an interval, not all at the same time; at once when it is new
//       here or its newest state is another; whoever waits longest comes first.
//   R2  One task at a time.
//   R3  One that is broken is looked at again soon, and at once when something was done to it.
//   R4  Looking takes at most a part of the time, however often a repository changes.
//   R5  Once in an interval it is compared with a peer. That says nothing of us, and is only
//       remembered; peers are asked at a pace.
//   R6  What is remembered is kept as notes, and goes with the repository.
//
// Not thread-safe.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/rng.h"
#include "core/time.h"
#include "grasp/verification_record.h"

namespace graspd::grasp {

struct VerificationOptions {
  core::Duration interval = std::chrono::hours(24);
  core::Duration broken_interval = std::chrono::hours(1);  // R3
  core::Duration comparison_pause = std::chrono::seconds(1);
  int share = 20;  // R4: of one repository, a twentieth of the time
  bool compares = true;
};

struct VerificationTask {
  enum class Kind { Look, Compare };
  Kind kind = Kind::Look;
  Coordinate view;
  std::uint64_t chance = 0;  // which peer to ask
};

// What a look came to.
struct Looked {
  Ruling ruling;
  bool declares = true;  // false: its state asks for nothing, or cannot be followed
  std::string behind;    // as in GitHealth
  std::string problem;
  bool set_right = false;  // something was wrong, and no longer is
};

struct VerificationMeter {
  std::uint64_t looks = 0, failures = 0;  // failures: a problem was found, set right or not
  std::uint64_t repairs = 0;              // was broken, and is whole again
  std::uint64_t comparisons = 0, differences = 0, silences = 0;
};

struct VerificationCensus {
  std::size_t synced = 0, unsynced = 0;
  std::size_t verified = 0, unverified = 0, broken = 0;  // each is one of these
  std::optional<core::UnixSeconds> oldest;               // verified longest ago
};

// One that is not synced, or not verified, now.
struct VerificationTrouble {
  Coordinate view;
  GitHealth health;
};

class Verifications {
 public:
  Verifications(VerificationOptions options, core::Rng rng) : options_(options), rng_(rng) {}

  // What an earlier run knew, before it is listed.
  void restore(KeptVerification kept);
  // It is served, and ruled by this.
  void list(core::Now now, const Coordinate& view, const Ruling& ruling);
  // Something was done to it that may have made it whole.
  void stirred(core::Now now, const Coordinate& view);
  void forget(const Coordinate& view);  // also ends what was begun for it
  void keep_only(const std::set<Coordinate>& views);

  std::optional<VerificationTask> begin(core::Now now);
  std::optional<core::Instant> next_at() const;  // unless something is under way
  // One of these ends what was begun.
  void looked(core::Now now, const Looked& look);
  void compared(core::Now now, const Comparison& with);
  void not_compared(core::Now now, bool was_asked);  // no peer, or it did not answer

  const GitHealth* find(const Coordinate& view) const;
  std::vector<Coordinate> views(const Identifier& identifier) const;  // that are listed
  VerificationCensus census() const;
  std::vector<VerificationTrouble> troubles(std::size_t max) const;  // the first of them
  const VerificationMeter& meter() const { return meter_; }
  std::vector<store::Note> take_notes() { return std::exchange(notes_, {}); }

 private:
  using Place = std::pair<core::Instant, Coordinate>;
  struct Entry {
    VerificationRecord record;
    Ruling ruling;  // now
    bool declares = true;
    bool is_stirred = false;             // while it was looked at
    std::optional<core::Instant> rests;  // R4: until then
    std::optional<core::Instant> look_at, compare_at;
  };
  struct Busy {
    VerificationTask task;
    core::Instant since;
  };

  core::Duration before_next(core::Duration interval);
  void look_at(const Coordinate& view, Entry& entry, core::Instant at);
  void look_soon(const Coordinate& view, Entry& entry, core::Instant now);
  void compare_at(const Coordinate& view, Entry& entry, core::Instant at);
  void admit(core::Now now, const Coordinate& view, Entry& entry, bool is_known);
  core::Instant comparisons_from() const;
  void note(const Coordinate& view, const Entry& entry);
  void count(const GitHealth& health, VerificationCensus& census) const;
  // What was begun; nullptr when the repository has gone meanwhile.
  Entry* end();

  const VerificationOptions options_;
  core::Rng rng_;
  std::map<Coordinate, Entry> entries_;
  std::map<Coordinate, VerificationRecord> restored_;
  std::set<Place> looks_, comparisons_;
  std::optional<core::Instant> compared_at_;
  std::optional<Busy> busy_;
  VerificationMeter meter_;
  std::vector<store::Note> notes_;
};

}  // namespace graspd::grasp
