// Rule numbers are those of git/fetch_scheduler.h.
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/sanitized.h"
#include "git/fetch_world_testing.h"

namespace graspd::git::fetch {
namespace {

using namespace std::chrono_literals;

constexpr core::Duration kTroubled = 1h;  // then every server works
constexpr core::Duration kPatience = 6h;  // for everything to come, from then on
constexpr core::Duration kMinute = 60s;
constexpr std::uint64_t kStepsMax = 200'000;  // wake-ups must not breed

Options options_for(core::Rng& rng) {
  Options options;
  options.concurrency = 1 + rng.below(8);
  options.aside_for = 30min;
  options.repair_backoff_max = 5min;
  return options;
}

void forget_old(std::deque<core::Duration>& starts, core::Duration now) {
  while (!starts.empty() && starts.front() + kMinute <= now) starts.pop_front();
}

}  // namespace

World::World(std::uint64_t seed)
    : rng_(seed), options_(options_for(rng_)), scheduler_(options_, core::Rng(seed)) {
  make_hosts();
  const auto repos = static_cast<std::uint32_t>(1 + rng_.below(8));
  for (std::uint32_t i = 0; i < repos; ++i) make_repo(i);
  for (auto again = core::Duration(30s); again < kTroubled + kPatience; again += 10min)
    at_time(again, [this] { offer_again(); });
}

void World::make_hosts() {
  const std::uint64_t hosts = 1 + rng_.below(6);
  for (std::uint64_t i = 0; i < hosts; ++i) {
    const std::string name = fmt::format("h{}.example", i);
    Host& host = hosts_[name];
    host.habit = rng_.one_in(2) ? Habit::Good : static_cast<Habit>(rng_.below(kHabits));
    at_time(kTroubled, [&host] { host.habit = Habit::Good; });
    for (std::uint64_t k = 0; k < 4; ++k)
      remotes_[url(fmt::format("https://{}/{}.git", name, k))].exists = !rng_.one_in(5);
  }
  at_time(kTroubled, [this] {
    for (auto& [url, remote] : remotes_) remote.exists = true;
  });
}

std::vector<Source> World::some_sources() {
  std::vector<Source> sources;
  for (const auto& [url, remote] : remotes_)
    if (rng_.one_in(3)) sources.push_back({url, rng_.one_in(2)});
  return sources;
}

void World::make_repo(std::uint32_t number) {
  const RepoKey key{fmt::format("repo{}", number)};
  const std::uint64_t events = 1 + rng_.below(3);
  for (std::uint32_t i = 0; i < events; ++i) {
    const auto reason = static_cast<Reason>(rng_.below(3));
    const std::uint32_t first = 10'000 * number + 1'000 * i;
    const auto count = static_cast<std::uint32_t>(1 + rng_.below(rng_.one_in(4) ? 40 : 4));
    Wanted wanted{key,
                  {fmt::format("event{}.{}", number, i)},
                  reason,
                  oids(first, count),
                  some_sources(),
                  rng_.one_in(2)};
    for (const Oid& oid : wanted.missing) place(oid, wanted.sources);
    wanted_.push_back(wanted);
    const auto when = some(30min);
    at_time(when, [this, wanted] { tell(wanted); });
    if (rng_.one_in(3)) at_time(when + some(2min), [this, key] { tell(PushFailed{key}); });
    if (rng_.one_in(4)) {
      const Oid pushed = wanted.missing[rng_.below(count)];
      at_time(when + some(5min), [this, key, pushed] {
        here_[key].insert(pushed);
        tell(Arrived{key, {pushed}});
      });
    }
  }
}

void World::place(const Oid& oid, const std::vector<Source>& sources) {
  for (const Source& source : sources) {
    Remote& remote = remotes_.at(source.url);
    const auto fate = rng_.below(4);
    if (fate == 0) remote.advertised.insert(oid);
    if (fate == 1 && rng_.one_in(3)) remote.hidden.insert(oid);
  }
}

core::Duration World::some(core::Duration max) {
  return core::Duration(rng_.below(static_cast<std::uint64_t>(max.count())));
}

void World::at_time(core::Duration time, std::function<void()> what) {
  agenda_.emplace(time, std::move(what));
}

World::Outcome World::live() {
  while (!agenda_.empty() && outcome_.trouble.empty()) {
    auto next = agenda_.extract(agenda_.begin());
    now_ = next.key();
    if (now_ > kTroubled + kPatience) break;
    next.mapped()();
    if (now_ > kTroubled && std::exchange(something_came_, false) && all_is_here()) break;
  }
  check(all_is_here(), "what some server has comes here");
  outcome_.lasted = now_;
  for (const Wanted& wanted : wanted_) tell(NoLongerWanted{wanted.repo, wanted.event});
  while (!jobs_.empty() && outcome_.trouble.empty()) answer(jobs_.begin()->first);
  const Status status = scheduler_.status(at(now_), 10);
  check(status.repos.empty() && status.running == 0, "a fetch that nobody wants is over");
  return outcome_;
}

void World::tell(const Input& input) {
  const Actions actions = scheduler_.step(at(now_), input);
  scheduler_.check_invariants();
  check(++outcome_.steps < kStepsMax, "there is an end to the steps");
  for (const Action& action : actions) std::visit([&](const auto& one) { perform(one); }, action);
}

void World::perform(const WakeAt& action) {
  const auto rings = action.at - at(core::Duration(0)).instant;
  check(rings >= now_, "alarms lie ahead");
  at_time(rings, [this, mine = ++alarms_] {
    if (mine == alarms_) tell(Alarm{});
  });
}

void World::perform(const ReadAdvertisement& action) {
  begin(action.attempt, {action.repo, action.url, Kind::Advertisement, {}});
}

void World::perform(const Fetch& action) {
  const auto& here = here_[action.repo];
  for (const Oid& oid : action.oids) check(!here.contains(oid), "nothing is fetched twice");
  const Kind kind = action.advertised ? Kind::Batch : Kind::Single;
  begin(action.attempt, {action.repo, action.url, kind, action.oids, action.commands_max});
}

void World::perform(const Stop& action) {
  jobs_.at(action.attempt).is_stopped = true;
  at_time(now_ + 100ms, [this, attempt = action.attempt] { answer(attempt); });
}

void World::begin(Attempt attempt, Job job) {
  Host& host = hosts_.at(job.url.host());
  job.since = now_;
  check_limits(job, host);
  ++outcome_.commands;
  note(attempt.value);
  note(std::hash<std::string>()(job.repo.value + job.url.text()));
  ++host.running;
  auto lasts = 50ms + some(job.kind == Kind::Advertisement ? 2s : 20s);
  if (host.habit == Habit::Stalls) lasts = 5min;
  jobs_.emplace(attempt, std::move(job));
  at_time(now_ + lasts, [this, attempt] { answer(attempt); });
}

// R2
void World::check_limits(const Job& job, Host& host) {
  forget_old(host.commands, now_);
  forget_old(host.singles, now_);
  const bool single = job.kind == Kind::Single;
  check(jobs_.size() < options_.concurrency, "not more commands at once than configured");
  check(host.running < options_.domain_concurrency, "not more than 5 at once of one domain");
  check(!single || host.commands.size() < options_.singles_below, "no singles of a busy domain");
  host.commands.insert(host.commands.end(), job.commands_max, now_);
  check(host.commands.size() <= options_.domain_commands_per_minute, "60 commands a minute");
  if (single) host.singles.push_back(now_);
  check(host.singles.size() <= options_.domain_singles_per_minute, "6 single oids a minute");
  check(now_ >= host.aside_until, "who is set aside is left alone");
  const auto same = std::ranges::count_if(jobs_, [&](const auto& entry) {
    return entry.second.repo == job.repo && entry.second.url.host() == job.url.host();
  });
  check(same <= 1, "a repository asks one source of a domain, in each of two lanes");
}

void World::answer(Attempt attempt) {
  auto node = jobs_.extract(attempt);
  if (node.empty()) return;
  const Job& job = node.mapped();
  Host& host = hosts_.at(job.url.host());
  --host.running;
  for (std::size_t unused = 1; unused < job.commands_max; ++unused) {
    const auto at = std::ranges::find(host.commands, job.since);
    if (at != host.commands.end()) host.commands.erase(at);
  }
  const auto failure = misfortune(job, host);
  if (failure == FetchFailure::Name || failure == FetchFailure::Tls)
    host.aside_until = now_ + options_.aside_for;
  if (job.kind == Kind::Advertisement)
    answer_read(attempt, job, failure);
  else
    answer_fetch(attempt, job, failure);
}

std::optional<FetchFailure> World::misfortune(const Job& job, const Host& host) {
  if (job.is_stopped) return FetchFailure::Stopped;
  switch (host.habit) {
    case Habit::Good:
    case Habit::Lies:
      break;
    case Habit::Name:
      return FetchFailure::Name;
    case Habit::Tls:
      return FetchFailure::Tls;
    case Habit::NotGit:
      return FetchFailure::NotGit;
    case Habit::Unreachable:
      return FetchFailure::Unreachable;
    case Habit::Stalls:
      return FetchFailure::Stalled;
    case Habit::Breaks:
      if (rng_.one_in(2)) return FetchFailure::Broken;
      break;
    case Habit::Limits:
      if (host.commands.size() > 10) return FetchFailure::RateLimited;
      break;
  }
  if (!remotes_.at(job.url).exists) return FetchFailure::NotFound;
  return std::nullopt;
}

void World::answer_read(Attempt attempt, const Job& job, std::optional<FetchFailure> failure) {
  const Remote& remote = remotes_.at(job.url);
  AdvertisementRead read{attempt, failure, std::nullopt, {}, 1};
  if (!failure) read.advertised = {remote.advertised.begin(), remote.advertised.end()};
  tell(read);
}

void World::answer_fetch(Attempt attempt, const Job& job, std::optional<FetchFailure> failure) {
  const Remote& remote = remotes_.at(job.url);
  Fetched fetched{attempt, failure, std::nullopt, {}, 1, 1};
  for (const Oid& oid : job.oids) {
    const bool has = remote.advertised.contains(oid) || remote.hidden.contains(oid);
    if (failure || !has || hosts_.at(job.url.host()).habit == Habit::Lies) continue;
    here_[job.repo].insert(oid);
    something_came_ = true;
    fetched.here.push_back(oid);
  }
  tell(fetched);
}

std::vector<Oid> World::still_missing(const Wanted& wanted) const {
  const auto here = here_.find(wanted.repo);
  if (here == here_.end()) return wanted.missing;
  auto missing = wanted.missing;
  std::erase_if(missing, [&](const Oid& oid) { return here->second.contains(oid); });
  return missing;
}

void World::offer_again() {
  for (const Wanted& wanted : wanted_) {
    Wanted again = wanted;
    again.missing = still_missing(wanted);
    if (scheduler_.wants(wanted.repo, wanted.event)) tell(again);
  }
}

bool World::is_available(const Oid& oid, const Wanted& wanted) const {
  return std::ranges::any_of(wanted.sources, [&](const Source& source) {
    const Remote& remote = remotes_.at(source.url);
    return remote.advertised.contains(oid) || remote.hidden.contains(oid);
  });
}

bool World::all_is_here() const {
  return std::ranges::none_of(wanted_, [&](const Wanted& wanted) {
    return std::ranges::any_of(still_missing(wanted),
                               [&](const Oid& oid) { return is_available(oid, wanted); });
  });
}

void World::check(bool kept, const std::string& promise) {
  if (!kept && outcome_.trouble.empty())
    outcome_.trouble = fmt::format("broken after {} s: {}", now_.count() / 1000, promise);
}

void World::note(std::uint64_t value) {
  outcome_.trace =
      (outcome_.trace ^ value ^ static_cast<std::uint64_t>(now_.count())) * 0x100000001b3ULL;
}

namespace {

constexpr std::uint64_t kLives = core::kIsSanitized ? 50 : 1'000;

// FETCH_SEED=4711 build/release/git_test --gtest_filter='FetchWorld.*' runs one life again.
std::pair<std::uint64_t, std::uint64_t> seeds() {
  if (const char* one = std::getenv("FETCH_SEED")) return {std::strtoull(one, nullptr, 10), 1};
  return {1, kLives};
}

TEST(FetchWorld, KeepsItsPromisesAndBringsEverythingOnceTheServersWork) {
  const auto [first, count] = seeds();
  int failed = 0;
  std::uint64_t steps = 0, commands = 0;
  for (std::uint64_t seed = first; seed < first + count && failed < 5; ++seed) {
    const auto outcome = World(seed).live();
    steps += outcome.steps;
    commands += outcome.commands;
    if (outcome.trouble.empty()) continue;
    ++failed;
    ADD_FAILURE() << "seed " << seed << ": " << outcome.trouble << "\nreplay: FETCH_SEED=" << seed
                  << " git_test --gtest_filter='FetchWorld.*'";
  }
  RecordProperty("steps", std::to_string(steps));
  RecordProperty("commands", std::to_string(commands));
}

TEST(FetchWorld, TheSameSeedIsTheSameLife) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    EXPECT_EQ(World(seed).live().trace, World(seed).live().trace) << "seed " << seed;
}

}  // namespace
}  // namespace graspd::git::fetch
