// A world of git servers in virtual time, for the simulation: some fail, stall, lie, lack, limit.
//
//   R1  Everything follows from the seed.
//   R2  At every step the scheduler's promises are checked; the first broken one is the verdict.
//   R3  From some time on every server works. What some server has must then come here.
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "git/fetch_scheduler_testing.h"

namespace graspd::git::fetch {

class World {
 public:
  explicit World(std::uint64_t seed);

  struct Outcome {
    std::string trouble;  // empty: every promise was kept
    std::uint64_t steps = 0, commands = 0, trace = 0;
    core::Duration lasted{0};
  };
  Outcome live();

 private:
  enum class Habit { Good, Name, Tls, NotGit, Unreachable, Stalls, Lies, Breaks, Limits };
  static constexpr std::uint64_t kHabits = 9;
  struct Host {
    Habit habit = Habit::Good;
    std::size_t running = 0;
    std::deque<core::Duration> commands, singles;  // of the last minute
    core::Duration aside_until{0};
  };
  struct Remote {  // one URL
    bool exists = true;
    std::set<Oid> advertised, hidden;
  };
  struct Job {
    RepoKey repo;
    FetchUrl url;
    Kind kind;
    std::vector<Oid> oids;
    std::size_t commands_max = 1;
    core::Duration since{0};
    bool is_stopped = false;
  };

  void make_hosts();
  void make_repo(std::uint32_t number);
  std::vector<Source> some_sources();
  void place(const Oid& oid, const std::vector<Source>& sources);
  void at_time(core::Duration time, std::function<void()> what);
  core::Duration some(core::Duration max);

  void tell(const Input& input);
  void perform(const ReadAdvertisement& action);
  void perform(const Fetch& action);
  void perform(const Stop& action);
  void perform(const Log&) {}
  void perform(const WakeAt& action);
  void begin(Attempt attempt, Job job);
  void answer(Attempt attempt);
  std::optional<FetchFailure> misfortune(const Job& job, const Host& host);
  void answer_read(Attempt attempt, const Job& job, std::optional<FetchFailure> failure);
  void answer_fetch(Attempt attempt, const Job& job, std::optional<FetchFailure> failure);
  void offer_again();  // as the server does, with what is missing by then
  std::vector<Oid> still_missing(const Wanted& wanted) const;

  void check(bool kept, const std::string& promise);
  void check_limits(const Job& job, Host& host);
  bool all_is_here() const;
  bool is_available(const Oid& oid, const Wanted& wanted) const;
  void note(std::uint64_t value);

  core::Rng rng_;
  Options options_;
  FetchScheduler scheduler_;
  core::Duration now_{0};
  std::multimap<core::Duration, std::function<void()>> agenda_;
  std::uint64_t alarms_ = 0;  // armed so far: only the last one rings
  std::map<std::string, Host> hosts_;
  std::map<FetchUrl, Remote> remotes_;
  std::vector<Wanted> wanted_;
  std::map<RepoKey, std::set<Oid>> here_;
  bool something_came_ = true;  // since it was last looked whether all is here
  std::map<Attempt, Job> jobs_;
  Outcome outcome_;
};

}  // namespace graspd::git::fetch
