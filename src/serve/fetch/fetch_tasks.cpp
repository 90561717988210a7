#include "serve/fetch/fetch_tasks.h"

#include <algorithm>

#include "core/counted.h"
#include "core/log.h"
#include "gitio/fetcher.h"
#include "gitio/missing.h"
#include "serve/host/repository_space.h"

namespace graspd::serve {
namespace {

using namespace git::fetch;
using grasp::Coordinate;

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

void FetchTasks::open(std::size_t threads) {
  workers_.emplace(threads, Workers::Priority::Background);
}

void FetchTasks::stop_all() {
  std::lock_guard lock(mutex_);
  stopping_ = true;
  for (auto& [attempt, stop] : stops_) stop.request_stop();
}

void FetchTasks::close() {
  if (workers_) workers_->stop();
}

void FetchTasks::start(const ReadAdvertisement& action) {
  workers_->post(
      [this, action, stop = begin(action.attempt)] { end(action.attempt, read(action, stop)); });
}

void FetchTasks::start(const Fetch& action) {
  workers_->post(
      [this, action, stop = begin(action.attempt)] { end(action.attempt, fetch(action, stop)); });
}

std::stop_token FetchTasks::begin(Attempt attempt) {
  std::lock_guard lock(mutex_);
  auto& stop = stops_[attempt];
  if (stopping_) stop.request_stop();
  return stop.get_token();
}

void FetchTasks::stop(Attempt attempt) {
  std::lock_guard lock(mutex_);
  const auto at = stops_.find(attempt);
  if (at != stops_.end()) at->second.request_stop();
}

void FetchTasks::end(Attempt attempt, const Input& answer) {  // R2
  {
    std::lock_guard lock(mutex_);
    stops_.erase(attempt);
  }
  plan_.tell(answer);
}

AdvertisementRead FetchTasks::read(const ReadAdvertisement& action,
                                   const std::stop_token& stop) const {
  const auto remote = gitio::read_remote_refs(action.url, read_, stop);
  if (!remote) {
    tell_failure(action.url, remote.error());
    return {action.attempt, remote.error().failure, remote.error().retry_after, {}, 0};
  }
  std::vector<git::Oid> oids;
  for (const auto& [ref, oid] : remote->refs) oids.push_back(oid);
  return {action.attempt, std::nullopt, std::nullopt, std::move(oids), digest_of(remote->refs)};
}

Fetched FetchTasks::fetch(const Fetch& action, const std::stop_token& stop) {
  const auto ours = [&](const std::string& why) {
    core::log::warn("git: cannot fetch for {}: {}", action.repo.value, why);
    return Fetched{action.attempt, git::FetchFailure::OurFault, std::nullopt, {}, 0, 1};
  };
  const auto coordinate = plan_.repo_of(action.repo);
  if (!coordinate) return ours("the repository is gone");
  const auto options = limits(action, *coordinate);
  if (!options) return ours(options.error());
  auto fetched =
      gitio::fetch({action.url, host_.hosting().options.root, host_.hosting().shown(*coordinate),
                    action.oids, plan_.is_torn(action.repo)},
                   *options, stop);
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

// The failure: nothing may be fetched into the repository now.
core::Result<gitio::FetchOptions, std::string> FetchTasks::limits(
    const Fetch& action, const Coordinate& coordinate) const {
  if (const auto full = host_.pushes().full(coordinate)) return core::Failure{*full};
  gitio::FetchOptions options = fetch_;
  const auto narrow = [&](std::uint64_t bytes) {
    options.pack_bytes_max = std::min(options.pack_bytes_max, bytes);
  };
  const auto quota = host_.pushes().limits(coordinate).pack_bytes_max;
  if (quota > 0) narrow(quota);
  // Of what pull requests alone ask for, where there is a quota.
  const auto left = plan_.is_for_pulls_only(coordinate)
                        ? RepositorySpace(host_.hosting(), coordinate).left_for_strangers()
                        : std::nullopt;
  if (left == 0U) return core::Failure{std::string(kNoSpaceForPulls)};
  if (left) narrow(*left);
  options.tries_max = std::max<std::size_t>(1, action.commands_max - 1);  // it may read once more
  return options;
}

// R1
std::optional<std::string> FetchTasks::take_in(const Coordinate& coordinate, gitio::Staging staging,
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
                           plan_.lost_pulls(coordinate));
  return std::nullopt;
}

// History brings what this remote was not asked for. A remote that lies brings it torn.
std::vector<git::Oid> FetchTasks::arrived(const RepoKey& repo, const Coordinate& coordinate,
                                          std::vector<git::Oid> came) const {
  std::vector<git::Oid> others;
  std::ranges::set_difference(plan_.missing(repo), came, std::back_inserter(others));
  const auto lacking = gitio::lacking(host_.hosting().shown(coordinate), others, fetch_.deadline);
  if (lacking) std::ranges::set_difference(others, *lacking, std::back_inserter(came));
  return came;
}

}  // namespace graspd::serve
