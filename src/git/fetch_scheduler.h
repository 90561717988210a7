// Decides what git data to fetch from where and when, so that waiting events can be released.
//
// A value without sockets, threads, clock or randomness of its own:
//     (state, now, input) -> (state', actions)
//
//   R1  An event waits for its push: minutes if a person sent it, moments if it came by sync or the
//       push has failed. Then its repository is fetched for.
//   R2  Repositories take turns, command by command. Nobody waits for another's ten thousand oids.
//   R3  At most options.concurrency commands run at once. The last free one is reserved for events
//       signed with authority, unless there is only one.
//   R4  The fetch ends when nothing is missing or nobody wants it; its running commands are
//       stopped.
//   R5  At most one alarm is set.
//   R6  Limited: what exceeds a limit is refused and counted; it may be offered again later.
//
// Not thread-safe: all calls come from one strand.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "core/rng.h"
#include "git/fetch_choice.h"
#include "git/fetch_status.h"

namespace graspd::git {

class FetchScheduler {
 public:
  FetchScheduler(fetch::Options options, core::Rng rng);

  fetch::Actions step(core::Now now, const fetch::Input& input);
  // Others who read an advertisement keep to the limits of its domain and count there, until they
  // say VisitEnded. Nothing: it is not to be asked now.
  std::optional<fetch::Ticket> begin_visit(core::Now now, const FetchUrl& url);

  // A command runs for it: what waits for its data should not expire meanwhile.
  bool is_running(const fetch::RepoKey& repo) const;
  bool wants(const fetch::RepoKey& repo, const fetch::EventKey& event) const;
  // For states and pull requests, ascending: what a push or a fetch may have brought besides.
  std::vector<Oid> missing(const fetch::RepoKey& repo) const;
  // Of so many repositories: what is under way first, then what waits longest.
  fetch::Status status(core::Now now, std::size_t repos_max) const;
  std::optional<fetch::RepoStatus> status_of(const fetch::RepoKey& repo, fetch::Lane lane) const;
  std::size_t running() const { return running_.size(); }  // commands
  std::size_t repositories() const { return entries_.size(); }
  const fetch::Meter& meter() const { return meter_; }
  void check_invariants() const;

 private:
  using Key = std::pair<fetch::RepoKey, fetch::Lane>;
  struct Running {
    fetch::Attempt attempt;
    Key key;
    FetchUrl url;
    fetch::Kind kind;
    fetch::Ticket ticket;
    std::vector<Oid> asked;
    bool is_stopped = false;
  };
  struct Entry {
    fetch::FetchJob job;
    std::optional<std::uint64_t> turn;   // place in the queue, in a pass
    std::optional<core::Instant> timer;  // place in timers_
  };

  void on(core::Now now, const fetch::Wanted& in);
  void on(core::Now now, const fetch::NoLongerWanted& in);
  void on(core::Now now, const fetch::PushFailed& in);
  void on(core::Now now, const fetch::Arrived& in);
  void on(core::Now now, const fetch::AdvertisementRead& in);
  void on(core::Now now, const fetch::Fetched& in);
  void on(core::Now now, const fetch::VisitEnded& in);
  void on(core::Now now, const fetch::Alarm& in);

  bool has_space(const Entry* entry, const fetch::Wanted& in) const;
  void arrived(const fetch::RepoKey& repo, std::vector<Oid> here);
  void changed(const Key& key);  // its wants: stops what is in vain, ends it when it is empty
  void set_timer(const Key& key, Entry& entry);
  void fall_due(core::Instant now);
  void pump(core::Instant now);
  bool has_slot(fetch::Lane lane) const;
  void advance(core::Instant now, const Key& key, Entry& entry);
  void look_again(core::Instant now, core::Instant when);
  void begin(core::Instant now, const Key& key, Entry& entry, fetch::Begin begin);
  void end_pass(core::Instant now, const Key& key, Entry& entry);
  template <class Answer>
  void settle_accounts(core::Now now, const fetch::Ticket& ticket, const Answer& in,
                       std::size_t commands);
  template <class Answer>
  std::optional<Running> take(core::Now now, const Answer& in, std::size_t commands);
  std::vector<Oid> wanted_of(const Running& running, const std::vector<Oid>& advertised);
  fetch::FetchSource* free_source(const Running& running);
  void arm(core::Instant now);

  const fetch::Options options_;
  core::Rng rng_;
  fetch::Domains domains_;
  fetch::Urls urls_;
  std::map<Key, Entry> entries_;
  std::map<fetch::Attempt, Running> running_;
  std::map<std::uint64_t, Key> queue_;  // those in a pass, in the order of their turns
  std::set<std::pair<core::Instant, Key>> timers_;
  std::optional<core::Instant> blocked_until_, armed_;
  std::uint64_t turns_ = 0, attempts_ = 0;
  std::size_t oids_ = 0;  // of all wants
  fetch::Meter meter_;
  fetch::Actions actions_;
};

}  // namespace graspd::git
