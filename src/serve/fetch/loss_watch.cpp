#include "serve/fetch/loss_watch.h"

#include <utility>

#include "core/log.h"
#include "net/clock.h"
#include "serve/fetch/verification_words.h"

namespace graspd::serve {

using grasp::CheckNews;
using grasp::Coordinate;
using grasp::Identifier;
using grasp::PolicySnapshot;

namespace {

// When a whole disk is gone, the log names some of what was on it.
constexpr std::size_t kLossesNamed = 20;

std::vector<Coordinate> served_repos(const PolicySnapshot& policy) {
  std::vector<Coordinate> coordinates;
  for (const grasp::Listing* listing : policy.catalog().served())
    coordinates.push_back(listing->announcement.coordinate);
  return coordinates;
}

}  // namespace

LossWatch::LossWatch(core::Duration interval, bool is_final, GraspHost& host,
                     VerificationPlan& plan, Repairs& repairs)
    : interval_(interval),
      is_final_(is_final),
      host_(host),
      plan_(plan),
      repairs_(repairs),
      checks_(host.hosting()) {}

void LossWatch::open(const std::stop_token& stop) {
  host_.watch(*this);
  watcher_.emplace(1, Workers::Priority::Background);
  watcher_->post([this, stop] { watch(stop); });
}

void LossWatch::close() {
  host_.unwatch(*this);
  watcher_->stop();
}

void LossWatch::add_own_thread() {
  std::lock_guard lock(mutex_);
  own_threads_.insert(std::this_thread::get_id());
}

void LossWatch::settled(const Identifier& identifier) {
  {
    std::lock_guard lock(mutex_);
    const bool by_others = !own_threads_.contains(std::this_thread::get_id());
    news_[identifier] |= by_others;
  }
  wake_.notify_all();
}

void LossWatch::watch(const std::stop_token& stop) {
  add_own_thread();
  while (!stop.stop_requested()) {
    if (check_at_ <= net::now().instant) check_all(stop);
    take_news();
    plan_.publish();
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, stop, std::max(core::Duration(1), check_at_ - net::now().instant),
                   [this] { return !news_.empty(); });
  }
}

void LossWatch::take_news() {
  std::map<Identifier, bool> news;
  {
    std::lock_guard lock(mutex_);
    news = std::exchange(news_, {});
  }
  for (const auto& [identifier, by_others] : news) {
    const auto served = host_.hosting().known()->catalog().served_repos(identifier);
    std::set<Coordinate> coordinates(served.begin(), served.end());
    const auto listed = plan_.repos(identifier);
    coordinates.insert(listed.begin(), listed.end());
    for (const Coordinate& coordinate : coordinates) {
      plan_.list(coordinate);
      if (by_others) plan_.stirred(coordinate);  // R3
      // It was aligned just now: to do that again would go on for ever.
      if (plan_.needs_check(coordinate)) check(coordinate);
    }
  }
}

void LossWatch::check_all(const std::stop_token& stop) {
  check_at_ = net::now().instant + interval_;
  losses_named_ = 0;
  const auto coordinates = served_repos(*host_.hosting().known());
  std::size_t lost = 0;
  for (const Coordinate& coordinate : coordinates) {
    if (stop.stop_requested()) return;
    plan_.list(coordinate);
    const auto before = checks_.known(coordinate);
    auto found = checks_.check_if_changed(coordinate);
    if (!found->lacking.empty() && found != before) found = mend(coordinate);
    if (take(coordinate, *found) == CheckNews::Lost) ++lost;
  }
  if (lost > kLossesNamed)
    core::log::warn(
        "git: {} of {} repositories lack what their signed states declare; is {} the folder of "
        "git data that belongs to this database?",
        lost, coordinates.size(), host_.hosting().options.root.string());
  const std::set<Coordinate> all(coordinates.begin(), coordinates.end());
  checks_.keep_only(all);
  plan_.keep_only(all);
}

std::optional<std::string> LossWatch::known_loss(const Coordinate& coordinate) const {
  const DataChecks::Found found = checks_.known(coordinate);
  return found ? std::optional(found->lacking) : std::nullopt;
}

std::string LossWatch::look_for_loss(const Coordinate& coordinate) {
  auto found = checks_.check(coordinate);
  if (!found->lacking.empty()) found = mend(coordinate);
  plan_.list(coordinate);
  take(coordinate, *found);
  plan_.publish();
  return found->lacking;
}

void LossWatch::check(const Coordinate& coordinate) {
  take(coordinate, *checks_.check(coordinate));
}

// R2. Nobody writes to it during the check: what a push changes looks like a loss in between.
DataChecks::Found LossWatch::mend(const Coordinate& coordinate) {
  Hosting& hosting = host_.hosting();
  hosting.restore_folder(coordinate);
  host_.alignments().align(coordinate);
  const auto guard = hosting.repos.lock(hosting.key(coordinate));
  return checks_.check(coordinate);
}

CheckNews LossWatch::take(const Coordinate& coordinate, const DataFound& found) {
  const auto ruling = ruling_of(*host_.hosting().known(), coordinate);
  if (!ruling) return CheckNews::None;
  const CheckNews news = plan_.checked(coordinate, {.made_of = found.made_of,
                                                    .behind = why_behind(*ruling, found.is_moved),
                                                    .lacking = found.lacking,
                                                    .declares = found.declares});
  if (!found.lacking.empty()) repairs_.order(coordinate, found.tips);
  if (news == CheckNews::Lost) tell_lost(coordinate, found);
  if (news != CheckNews::Back) return news;
  core::log::info("git: {} has again what its signed state declares", coordinate.path());
  if (is_final_) repairs_.set(coordinate, false, {});
  return news;
}

void LossWatch::tell_lost(const Coordinate& coordinate, const DataFound& found) {
  if (++losses_named_ > kLossesNamed) return;
  core::log::warn(
      "git: {} lacks what its signed state declares: {}; fetches are answered with 503; {}push it "
      "once more, or restore a backup",
      coordinate.path(), found.lacking,
      repairs_.are_possible()
          ? "it is fetched again from the servers its announcement names; if none has it, "
          : "");
}

}  // namespace graspd::serve
