// The quick checks of all repositories (R5), and what follows when one lacks something (R6).
#include <fmt/format.h>

#include "core/log.h"
#include "net/clock.h"
#include "serve/fetch/fetch_driver.h"
#include "serve/fetch/verification_words.h"
#include "serve/fetch/verifier.h"

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

void Verifier::settled(const Identifier& identifier) {
  {
    std::lock_guard lock(mutex_);
    const bool by_others = !own_threads_.contains(std::this_thread::get_id());
    news_[identifier] |= by_others;
  }
  wake_.notify_all();
}

void Verifier::watch() {
  std::unique_lock lock(mutex_);
  own_threads_.insert(std::this_thread::get_id());
  while (!stop_.stop_requested()) {
    lock.unlock();
    if (check_at_ <= net::now().instant) check_all();
    take_news();
    write_notes();
    wake_.notify_all();
    lock.lock();
    wake_.wait_for(lock, std::max(core::Duration(1), check_at_ - net::now().instant),
                   [this] { return stop_.stop_requested() || !news_.empty(); });
  }
}

void Verifier::take_news() {
  std::map<Identifier, bool> news;
  {
    std::lock_guard lock(mutex_);
    news = std::exchange(news_, {});
  }
  for (const auto& [identifier, by_others] : news) {
    const auto served = host_.hosting().known()->catalog().served_repos(identifier);
    std::set<Coordinate> coordinates(served.begin(), served.end());
    {
      std::lock_guard lock(mutex_);
      const auto listed = plan_.repos(identifier);
      coordinates.insert(listed.begin(), listed.end());
    }
    for (const Coordinate& coordinate : coordinates) {
      list(coordinate);
      bool is_open_question = false;
      {
        std::lock_guard lock(mutex_);
        if (by_others) plan_.stirred(net::now(), coordinate);
        is_open_question = plan_.needs_check(coordinate);
      }
      // It was aligned just now: to do that again would go on for ever.
      if (is_open_question) take(coordinate, *checks_.check(coordinate));
    }
  }
}

void Verifier::check_all() {
  check_at_ = net::now().instant + options_.check_interval;
  losses_named_ = 0;
  const auto coordinates = served_repos(*host_.hosting().known());
  std::size_t lost = 0;
  for (const Coordinate& coordinate : coordinates) {
    if (stop_.stop_requested()) return;
    list(coordinate);
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
  std::lock_guard lock(mutex_);
  plan_.keep_only(all);
}

void Verifier::list(const Coordinate& coordinate) {
  const auto ruling = ruling_of(*host_.hosting().known(), coordinate);
  std::lock_guard lock(mutex_);
  if (ruling)
    plan_.list(net::now(), coordinate, *ruling);
  else if (plan_.find(coordinate))
    plan_.forget(coordinate);
}

std::optional<std::string> Verifier::known_loss(const Coordinate& coordinate) const {
  const DataChecks::Found found = checks_.known(coordinate);
  return found ? std::optional(found->lacking) : std::nullopt;
}

std::string Verifier::look_for_loss(const Coordinate& coordinate) {
  return check(coordinate)->lacking;
}

DataChecks::Found Verifier::check(const Coordinate& coordinate) {
  auto found = checks_.check(coordinate);
  if (!found->lacking.empty()) found = mend(coordinate);
  list(coordinate);
  take(coordinate, *found);
  write_notes();
  wake_.notify_all();
  return found;
}

// Refs may be set again from objects that are here, or history copied from another repository.
// Nobody writes to it during the check: what a push changes looks like a loss in between.
DataChecks::Found Verifier::mend(const Coordinate& coordinate) {
  Hosting& hosting = host_.hosting();
  hosting.restore_folder(coordinate);
  host_.alignments().align(coordinate);
  const auto guard = hosting.repos.lock(hosting.key(coordinate));
  return checks_.check(coordinate);
}

CheckNews Verifier::take(const Coordinate& coordinate, const DataFound& found) {
  const auto ruling = ruling_of(*host_.hosting().known(), coordinate);
  if (!ruling) return CheckNews::None;
  CheckNews news = CheckNews::None;
  {
    std::lock_guard lock(mutex_);
    news = plan_.checked(net::now(), coordinate,
                         {.made_of = found.made_of,
                          .behind = why_behind(*ruling, found.is_moved),
                          .lacking = found.lacking,
                          .declares = found.declares});
  }
  if (!found.lacking.empty()) order(coordinate, found);
  if (news == CheckNews::Lost) tell_lost(coordinate, found);
  if (news != CheckNews::Back) return news;
  core::log::info("git: {} has again what its signed state declares", coordinate.path());
  if (!options_.plan.looks) repair(coordinate, {}, {});
  return news;
}

// R6. The fetch may have had no space for it: it is told again and again.
void Verifier::order(const Coordinate& coordinate, const DataFound& found) {
  host_.hosting().incomplete.set(coordinate, true);
  if (!fetches_) return;
  {
    std::lock_guard lock(mutex_);
    ordered_.insert(coordinate);
  }
  fetches_->repair(coordinate, {found.tips, {}});
}

void Verifier::tell_lost(const Coordinate& coordinate, const DataFound& found) {
  if (++losses_named_ > kLossesNamed) return;
  core::log::warn(
      "git: {} lacks what its signed state declares: {}; fetches are answered with 503; {}push it "
      "once more, or restore a backup",
      coordinate.path(), found.lacking,
      fetches_ ? "it is fetched again from the servers its announcement names; if none has it, "
               : "");
}

std::optional<std::uint64_t> Verifier::ask(const std::optional<Coordinate>& coordinate) {
  std::optional<std::uint64_t> number;
  {
    std::lock_guard lock(mutex_);
    number = plan_.ask(net::now(), coordinate);
  }
  wake_.notify_all();
  return number;
}

grasp::VerificationAnswers Verifier::answers(std::uint64_t number, std::uint64_t cursor,
                                             const std::optional<Coordinate>& coordinate,
                                             std::size_t max) const {
  std::lock_guard lock(mutex_);
  return plan_.answers(number, cursor, coordinate, max);
}

}  // namespace graspd::serve
