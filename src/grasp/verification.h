// Decides which repository is verified next, and remembers the results. A look is a complete
// verification; a check is quick.
//
// A value without disk, threads, clock or randomness of its own. The caller gets a task from
// begin(), performs it and reports the result.
//
//   R1  Each repository is looked at once per interval, spread over time; at once if it is new here
//       or has another newest state. The one that has waited longest comes first.
//   R2  One task at a time.
//   R3  A broken repository is looked at again soon, and at once after something was done to it.
//   R4  Looks take at most a fixed share of the time, however often a repository changes.
//   R5  Once per interval it is compared with a peer. The result says nothing about our data and is
//       only remembered; requests to peers are paced.
//   R6  Results are kept as notes, which are removed with the repository.
//   R7  A look is valid only for the data it has seen. When a check finds other data, the
//       repository is no longer verified and is looked at at once. A result of an earlier run
//       counts once a check of this run has confirmed it.
//   R8  A check that finds something missing reports it at once: neither synced nor verified. The
//       repository is broken, in the words of the check, until a look has found it complete.
//   R9  A requested look begins after the request.
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
  bool looks = true;  // false: only at what is asked for
};

struct VerificationTask {
  enum class Kind { Look, Compare };
  Kind kind = Kind::Look;
  Coordinate repo;
  std::uint64_t chance = 0;  // which peer to ask
};

// What a look came to.
struct Looked {
  Ruling ruling;
  bool declares = true;  // false: its state asks for nothing, or cannot be followed
  std::string behind;    // as in GitHealth
  std::string problem;
  bool set_right = false;  // something was wrong, and no longer is
  std::optional<git::Fingerprint> made_from = {};
};

// What a quick check found: no walk, only whether that is here which the state declares.
struct Checked {
  std::optional<git::Fingerprint> made_of;  // none: it cannot be read
  std::string behind;                       // as in GitHealth
  std::string lacking;                      // in words; empty: nothing
  bool declares = true;                     // false: nothing is asked of it
};
enum class CheckNews { None, Lost, Back };

// What came of a look that was asked for.
struct VerificationAnswer {
  Coordinate repo;
  bool declares = true;
  std::string problem;  // empty: all is well
};
struct VerificationAnswers {
  std::vector<VerificationAnswer> done;
  std::uint64_t cursor = 0;  // to go on from
  std::size_t waiting = 0;   // that are not done yet
};

struct VerificationMeter {
  std::uint64_t looks = 0, failures = 0;  // failures: a problem was found, set right or not
  std::uint64_t checks = 0, losses = 0;   // losses: R8
  std::uint64_t repairs = 0;              // was broken, and is whole again
  std::uint64_t comparisons = 0, differences = 0, silences = 0;
};

struct VerificationTotals {
  std::size_t synced = 0, unsynced = 0;
  std::size_t verified = 0, unverified = 0, broken = 0;  // each is one of these
  std::size_t lacking = 0;                               // of the broken: R8
  std::optional<core::UnixSeconds> oldest;               // verified longest ago
};

// One that is not synced, or not verified, now.
struct VerificationTrouble {
  Coordinate repo;
  GitHealth health;
};

class Verifications {
 public:
  Verifications(VerificationOptions options, core::Rng rng) : options_(options), rng_(rng) {}

  // What an earlier run knew, before it is listed.
  void restore(KeptVerification kept);
  // It is served, and ruled by this.
  void list(core::Now now, const Coordinate& repo, const Ruling& ruling);
  // Something was done to it that may have made it whole.
  void stirred(core::Now now, const Coordinate& repo);
  void forget(const Coordinate& repo);  // also ends what was begun for it
  void keep_only(const std::set<Coordinate>& repos);

  CheckNews checked(core::Now now, const Coordinate& repo, const Checked& check);
  bool is_lacking(const Coordinate& repo) const;
  bool needs_check(const Coordinate& repo) const;  // R7, R8: what it is said to be may not hold

  // R9. One, or all that are listed: a number to ask for answers with. Nothing: it is not listed.
  std::optional<std::uint64_t> ask(core::Now now, const std::optional<Coordinate>& repo);
  // To `ask` with this number, of which `cursor` were read: begin with the number itself.
  VerificationAnswers answers(std::uint64_t number, std::uint64_t cursor,
                              const std::optional<Coordinate>& repo, std::size_t max) const;

  std::optional<VerificationTask> begin(core::Now now);
  std::optional<core::Instant> next_at() const;  // unless something is under way
  // One of these ends what was begun.
  void looked(core::Now now, const Looked& look);
  void compared(core::Now now, const Comparison& with);
  void not_compared(core::Now now, bool was_asked);  // no peer, or it did not answer

  std::optional<GitHealth> find(const Coordinate& repo) const;
  std::vector<Coordinate> repos(const Identifier& identifier) const;  // that are listed
  VerificationTotals totals() const;
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
    bool is_checked = false;             // R7: in this run, since its state is another
    bool is_lacking = false;             // R8
    bool is_asked = false;               // R9
    std::uint64_t looked = 0;            // the number of the last look that ended
    std::optional<core::Instant> rests;  // R4: until then
    std::optional<core::Instant> look_at, compare_at;

    bool is_confirmed() const { return is_checked && record.made_from; }  // R7
  };
  struct Busy {
    VerificationTask task;
    core::Instant since;
    std::uint64_t number = 0;
  };

  core::Duration before_next(core::Duration interval);
  bool busy_with(const Coordinate& repo) const;
  void look_at(const Coordinate& repo, Entry& entry, core::Instant at);
  void look_soon(const Coordinate& repo, Entry& entry, core::Instant now);
  void compare_at(const Coordinate& repo, Entry& entry, core::Instant at);
  void admit(core::Now now, const Coordinate& repo, Entry& entry, bool is_known);
  core::Instant comparisons_from() const;
  void note(const Coordinate& repo, const Entry& entry);
  static void count(const Entry& entry, VerificationTotals& totals);
  CheckNews lost(core::Now now, const Coordinate& repo, Entry& entry, const Checked& check);
  void confirm(core::Now now, const Coordinate& repo, Entry& entry, const Checked& check);
  // What was begun.
  struct Ended {
    std::optional<Busy> was;
    Entry* entry = nullptr;  // none: its repository has gone
  };
  Ended end();

  const VerificationOptions options_;
  core::Rng rng_;
  std::map<Coordinate, Entry> entries_;
  std::map<Coordinate, VerificationRecord> restored_;
  std::set<Place> looks_, comparisons_;
  std::optional<core::Instant> compared_at_;
  std::optional<Busy> busy_;
  std::uint64_t begun_ = 0;  // looks
  VerificationMeter meter_;
  std::vector<store::Note> notes_;
};

}  // namespace graspd::grasp
