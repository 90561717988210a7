#include "serve/fetch/fetch_driver.h"

#include <algorithm>

#include "core/counted.h"
#include "core/log.h"
#include "gitio/fetcher.h"
#include "gitio/missing.h"
#include "net/clock.h"
#include "serve/fetch/fetch_report.h"
#include "serve/fetch/fetch_survey.h"
#include "serve/host/repository_space.h"
#include "serve/runtime/random.h"

namespace graspd::serve {
namespace {

using namespace git::fetch;
using grasp::Coordinate;
using grasp::Identifier;

// FNV-1a: it only has to change with the advertisement.
std::uint64_t digest_of(const git::Refs& refs) {
  std::uint64_t digest = 0xcbf29ce484222325ULL;
  const auto mix = [&](std::uint8_t byte) { digest = (digest ^ byte) * 0x100000001b3ULL; };
  for (const auto& [ref, oid] : refs) {
    for (const char letter : ref.text()) mix(static_cast<std::uint8_t>(letter));
    for (const std::uint8_t byte : oid.bytes()) mix(byte);
  }
  return digest;
}

// The words of a rejection are those operators look for.
void tell_failure(const git::FetchUrl& url, const git::FetchError& error) {
  if (error.failure == git::FetchFailure::Forbidden)
    core::log::warn("git: Rejecting event-directed git fetch target {}: {}", url.text(),
                    error.text);
  else
    core::log::debug("git: fetching from {} failed: {}", url.text(), error.text);
}

}  // namespace

FetchDriver::FetchDriver(FetchDriverOptions options, GraspHost& host)
    : options_(std::move(options)),
      host_(host),
      scheduler_(options_.scheduler, core::Rng(random_seed())) {}

FetchDriver::~FetchDriver() { close(); }

void FetchDriver::open() {
  tasks_ = std::make_unique<Workers>(options_.scheduler.concurrency, Workers::Priority::Background);
  looker_ = std::make_unique<Workers>(1, Workers::Priority::Background);
  clock_ = std::thread([this] { keep_time(); });
  host_.watch(*this);
}

void FetchDriver::close() {
  host_.unwatch(*this);
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    for (auto& [attempt, stop] : stops_) stop.request_stop();
  }
  wake_.notify_all();
  if (clock_.joinable()) clock_.join();
  if (tasks_) tasks_->stop();
  if (looker_) looker_->stop();
}

void FetchDriver::settled(const Identifier& identifier) {
  std::lock_guard lock(mutex_);
  look_soon(identifier);
}

void FetchDriver::push_failed(const Coordinate& coordinate) {
  tell(PushFailed{{coordinate.path()}});
}

void FetchDriver::look_soon(const Identifier& identifier) {
  if (!to_look_.insert(identifier).second) return;
  looker_->post([this, identifier] {
    {
      std::lock_guard lock(mutex_);
      to_look_.erase(identifier);
      if (stopping_) return;
    }
    look(identifier);
  });
}

// R1
void FetchDriver::look(const Identifier& identifier) {
  const auto wishes = survey(host_.hosting(), identifier, options_.own);
  std::lock_guard lock(mutex_);
  std::set<EventKey> gone;
  for (const auto& [event, told] : told_)
    if (told.coordinate.identifier == identifier && !told.ordered) gone.insert(event);
  for (const FetchWant& wish : wishes) {
    gone.erase(wish.wanted.event);
    want(wish.wanted, {wish.coordinate, wish.wanted.reason, false, std::nullopt});
  }
  for (const EventKey& event : gone) forget(event);
}

void FetchDriver::want(const Wanted& wanted, Told told) {
  const auto known = told_.find(wanted.event);
  if (known != told_.end() && known->second.coordinate != told.coordinate)
    forget(wanted.event);
  else if (known != told_.end())
    told.extensions = known->second.extensions;
  coordinates_.insert_or_assign(wanted.repo, told.coordinate);
  const std::uint64_t refused = scheduler_.meter().refused;
  const auto at = told_.insert_or_assign(wanted.event, std::move(told)).first;
  step(wanted);
  if (scheduler_.meter().refused > refused) put_off_.insert(at->second.coordinate.identifier);
  if (!scheduler_.wants(wanted.repo, wanted.event)) told_.erase(wanted.event);
}

void FetchDriver::forget(const EventKey& event) {
  const auto told = told_.extract(event);
  if (!told.empty()) step(NoLongerWanted{{told.mapped().coordinate.path()}, event});
}

void FetchDriver::repair(const Coordinate& coordinate, const Damage& damage) {
  const auto orders = repair_orders(*host_.hosting().known(), coordinate, damage, options_.own);
  std::lock_guard lock(mutex_);
  std::set<EventKey> over;
  for (const auto& [event, told] : told_)
    if (told.coordinate == coordinate && told.ordered) over.insert(event);
  for (const RepairOrder& order : orders) {
    over.erase(order.wanted.event);
    want(order.wanted, {coordinate, order.wanted.reason, true, order.pull});
  }
  for (const EventKey& event : over) forget(event);
}

std::optional<core::Result<gitio::RemoteRefs, git::FetchError>> FetchDriver::visit(
    const git::FetchUrl& url, const std::stop_token& stop) {
  std::optional<Ticket> ticket;
  {
    std::lock_guard lock(mutex_);
    ticket = scheduler_.begin_visit(net::now(), url);
  }
  if (!ticket) return std::nullopt;
  auto remote = gitio::read_remote_refs(url, options_.read, stop);
  VisitEnded ended{*std::move(ticket), std::nullopt, std::nullopt};
  if (!remote) {
    ended.failure = remote.error().failure;
    ended.retry_after = remote.error().retry_after;
  }
  tell(ended);
  return remote;
}

void FetchDriver::tell(const Input& input) {
  std::lock_guard lock(mutex_);
  step(input);
}

void FetchDriver::step(const Input& input) {
  for (const Action& action : scheduler_.step(net::now(), input))
    std::visit([&](const auto& one) { perform(one); }, action);
}

std::stop_token FetchDriver::begin(Attempt attempt) {
  auto& stop = stops_[attempt];
  if (stopping_) stop.request_stop();
  return stop.get_token();
}

void FetchDriver::perform(const ReadAdvertisement& action) {
  tasks_->post([this, action, stop = begin(action.attempt)] {
    const AdvertisementRead answer = read(action, stop);
    std::lock_guard lock(mutex_);
    stops_.erase(action.attempt);
    step(answer);
  });
}

void FetchDriver::perform(const Fetch& action) {
  tasks_->post([this, action, stop = begin(action.attempt)] {
    const Fetched answer = fetch(action, stop);
    std::lock_guard lock(mutex_);
    stops_.erase(action.attempt);
    step(answer);
  });
}

void FetchDriver::perform(const Stop& action) {
  const auto at = stops_.find(action.attempt);
  if (at != stops_.end()) at->second.request_stop();
}

void FetchDriver::perform(const Log& action) { core::log::write(action.level, action.text); }

void FetchDriver::perform(const WakeAt& action) {
  wake_at_ = action.at;
  wake_.notify_all();
}

AdvertisementRead FetchDriver::read(const ReadAdvertisement& action,
                                    const std::stop_token& stop) const {
  const auto remote = gitio::read_remote_refs(action.url, options_.read, stop);
  if (!remote) {
    tell_failure(action.url, remote.error());
    return {action.attempt, remote.error().failure, remote.error().retry_after, {}, 0};
  }
  std::vector<git::Oid> oids;
  for (const auto& [ref, oid] : remote->refs) oids.push_back(oid);
  return {action.attempt, std::nullopt, std::nullopt, std::move(oids), digest_of(remote->refs)};
}

Fetched FetchDriver::fetch(const Fetch& action, const std::stop_token& stop) {
  const auto coordinate = repo_of(action.repo);
  const auto ours = [&](const std::string& why) {
    core::log::warn("git: cannot fetch for {}: {}", action.repo.value, why);
    return Fetched{action.attempt, git::FetchFailure::OurFault, std::nullopt, {}, 0, 1};
  };
  if (!coordinate) return ours("the repository is gone");
  if (const auto full = host_.pushes().full(*coordinate)) return ours(*full);
  gitio::FetchOptions options = options_.fetch;
  const auto quota = host_.pushes().limits(*coordinate).pack_bytes_max;
  if (quota > 0) options.pack_bytes_max = std::min(options.pack_bytes_max, quota);
  if (const auto left = pulls_space(*coordinate)) {
    if (*left == 0) return ours(std::string(kNoSpaceForPulls));
    options.pack_bytes_max = std::min(options.pack_bytes_max, *left);
  }
  options.tries_max = std::max<std::size_t>(1, action.commands_max - 1);  // it may read once more
  auto fetched =
      gitio::fetch({action.url, host_.hosting().options.root, host_.hosting().shown(*coordinate),
                    action.oids, is_torn(action.repo)},
                   options, stop);
  if (!fetched) {
    const git::FetchError& error = fetched.error().error;
    tell_failure(action.url, error);
    return {action.attempt, error.failure, error.retry_after, {}, 0, fetched.error().commands};
  }
  if (auto failure = take_in(*coordinate, std::move(fetched->staging), fetched->came))
    return ours(*failure);
  core::log::info("git: {} of {} from {} {} here for {}", fetched->came.size(), action.oids.size(),
                  action.url.text(), core::numbered(fetched->came.size(), "is", "are"),
                  action.repo.value);
  return {action.attempt, std::nullopt,
          std::nullopt,   arrived(action.repo, *coordinate, fetched->came),
          fetched->bytes, fetched->commands};
}

// Of what pull requests alone ask for, where there is a quota.
std::optional<std::uint64_t> FetchDriver::pulls_space(const Coordinate& coordinate) {
  {
    std::lock_guard lock(mutex_);
    for (const auto& [event, told] : told_)
      if (told.coordinate == coordinate && told.reason != Reason::PullRequest) return std::nullopt;
  }
  return RepositorySpace(host_.hosting(), coordinate).left_for_strangers();
}

// What it has of the history cannot be believed.
bool FetchDriver::is_torn(const RepoKey& repo) const {
  std::lock_guard lock(mutex_);
  return told_.contains(repair_key(repo));
}

// R2
std::optional<std::string> FetchDriver::take_in(const Coordinate& coordinate,
                                                gitio::Staging staging,
                                                const std::vector<git::Oid>& came) {
  Hosting& hosting = host_.hosting();
  {
    const auto guard = hosting.repos.lock(hosting.key(coordinate));
    if (!hosting.known()->is_open(coordinate)) return "it is not open any more";
    if (auto made = hosting.make_repository(coordinate); !made) return made.error();
    if (auto moved = staging.move_into(hosting.path(coordinate)); !moved) return moved.error();
  }
  host_.touched(coordinate);
  host_.alignments().align(coordinate, {coordinate, {came.begin(), came.end()}},
                           lost_pulls(coordinate));
  return std::nullopt;
}

std::vector<nostr::EventId> FetchDriver::lost_pulls(const Coordinate& coordinate) const {
  std::lock_guard lock(mutex_);
  std::vector<nostr::EventId> ids;
  for (const auto& [event, told] : told_)
    if (told.pull && told.coordinate == coordinate) ids.push_back(*told.pull);
  return ids;
}

// History brings what this remote was not asked for. A remote that lies brings it torn.
std::vector<git::Oid> FetchDriver::arrived(const RepoKey& repo, const Coordinate& coordinate,
                                           std::vector<git::Oid> came) const {
  std::vector<git::Oid> others;
  {
    std::lock_guard lock(mutex_);
    std::ranges::set_difference(scheduler_.missing(repo), came, std::back_inserter(others));
  }
  const auto lacking =
      gitio::lacking(host_.hosting().shown(coordinate), others, options_.fetch.deadline);
  if (lacking) std::ranges::set_difference(others, *lacking, std::back_inserter(came));
  return came;
}

std::optional<Coordinate> FetchDriver::repo_of(const RepoKey& repo) const {
  std::lock_guard lock(mutex_);
  const auto at = coordinates_.find(repo);
  return at == coordinates_.end() ? std::nullopt : std::optional(at->second);
}

sync::Fetches FetchDriver::fetches(std::size_t max) const {
  const core::Now now = net::now();
  std::lock_guard lock(mutex_);
  const Status status = scheduler_.status(now, max);
  sync::Fetches fetches{{}, status.repos_total, status.running};
  for (const RepoStatus& repo : status.repos)
    if (const auto at = coordinates_.find(repo.repo); at != coordinates_.end())
      fetches.shown.push_back(fetch_report_of(repo, at->second, now));
  return fetches;
}

std::vector<sync::FetchStatus> FetchDriver::fetches_of(const Coordinate& coordinate) const {
  const core::Now now = net::now();
  std::lock_guard lock(mutex_);
  std::vector<sync::FetchStatus> fetches;
  for (const Lane lane : {Lane::Signed, Lane::Offered})
    if (const auto repo = scheduler_.status_of({coordinate.path()}, lane))
      fetches.push_back(fetch_report_of(*repo, coordinate, now));
  return fetches;
}

Meter FetchDriver::meter() const {
  std::lock_guard lock(mutex_);
  return scheduler_.meter();
}

FetchDriver::Load FetchDriver::load() const {
  std::lock_guard lock(mutex_);
  return {scheduler_.running(), scheduler_.repositories()};
}

bool FetchDriver::is_running(const Coordinate& coordinate) const {
  std::lock_guard lock(mutex_);
  return scheduler_.is_running({coordinate.path()});
}

}  // namespace graspd::serve
