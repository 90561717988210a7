#include "serve/fetch/fetch_driver.h"

#include <algorithm>

#include "core/log.h"
#include "net/clock.h"

namespace graspd::serve {

using namespace git::fetch;
using grasp::Coordinate;
using grasp::Identifier;

FetchDriver::FetchDriver(FetchDriverOptions options, GraspHost& host)
    : options_(std::move(options)),
      host_(host),
      plan_(options_.scheduler,
            [this](const Action& action) {
              std::visit([this](const auto& one) { perform(one); }, action);
            }),
      tasks_(options_.fetch, options_.read, host_, plan_) {}

FetchDriver::~FetchDriver() { close(); }

void FetchDriver::open() {
  tasks_.open(options_.scheduler.concurrency);
  looker_.emplace(1, Workers::Priority::Background);
  clock_ = std::thread([this] { keep_time(); });
  host_.watch(*this);
}

void FetchDriver::close() {  // R3
  host_.unwatch(*this);
  tasks_.stop_all();
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (clock_.joinable()) clock_.join();
  tasks_.close();
  if (looker_) looker_->stop();
}

void FetchDriver::settled(const Identifier& identifier) { look_soon(identifier); }

void FetchDriver::push_failed(const Coordinate& coordinate) {
  plan_.tell(PushFailed{{coordinate.path()}});
}

void FetchDriver::look_soon(const Identifier& identifier) {
  std::lock_guard lock(mutex_);
  if (!to_look_.insert(identifier).second) return;
  looker_->post([this, identifier] {
    {
      std::lock_guard inner(mutex_);
      to_look_.erase(identifier);
      if (stopping_) return;
    }
    look(identifier);
  });
}

void FetchDriver::look(const Identifier& identifier) {  // R1
  plan_.set_wants(identifier, survey(host_.hosting(), identifier, options_.own));
}

void FetchDriver::repair(const Coordinate& coordinate, const Damage& damage) {
  plan_.set_repairs(coordinate,
                    repair_orders(*host_.hosting().known(), coordinate, damage, options_.own));
}

std::optional<core::Result<gitio::RemoteRefs, git::FetchError>> FetchDriver::visit(
    const git::FetchUrl& url, const std::stop_token& stop) {
  auto ticket = plan_.begin_visit(url);
  if (!ticket) return std::nullopt;
  auto remote = gitio::read_remote_refs(url, options_.read, stop);
  VisitEnded ended{*std::move(ticket), std::nullopt, std::nullopt};
  if (!remote) {
    ended.failure = remote.error().failure;
    ended.retry_after = remote.error().retry_after;
  }
  plan_.tell(ended);
  return remote;
}

void FetchDriver::perform(const Log& action) { core::log::write(action.level, action.text); }

void FetchDriver::perform(const WakeAt& action) {
  {
    std::lock_guard lock(mutex_);
    wake_at_ = action.at;
  }
  wake_.notify_all();
}

void FetchDriver::keep_time() {
  core::Instant next_tick = net::now().instant + options_.tick;
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    const core::Instant now = net::now().instant;
    const bool rings = wake_at_ && *wake_at_ <= now;
    if (!rings && next_tick > now) {
      wake_.wait_for(lock, std::min(next_tick, wake_at_.value_or(next_tick)) - now);
      continue;
    }
    if (rings) wake_at_.reset();
    lock.unlock();
    if (rings) {
      plan_.tell(Alarm{});
    } else {
      next_tick = now + options_.tick;
      tick();  // not behind what looks into repositories: that may take longer than waiting lasts
    }
    lock.lock();
  }
}

void FetchDriver::tick() {
  plan_.forget_what_no_longer_waits(host_.hosting());
  extend_what_is_on_its_way();
  plan_.forget_idle_repos();
  for (const Identifier& identifier : plan_.take_offers()) look_soon(identifier);
}

void FetchDriver::extend_what_is_on_its_way() {  // R2
  const auto soon = net::now().unix_seconds +
                    3 * std::chrono::duration_cast<std::chrono::seconds>(options_.tick).count();
  const auto ends = [&](const grasp::Held* held) { return held && held->expires <= soon; };
  auto due = plan_.arriving(options_.extensions_max);
  {
    const auto known = host_.hosting().known();
    const grasp::Purgatory& purgatory = known->purgatory();
    std::erase_if(due, [&](const FetchPlan::Arriving& one) {
      return !ends(purgatory.announcement(one.coordinate)) && !ends(purgatory.pull(one.id)) &&
             !ends(purgatory.state(one.id, one.coordinate.identifier));
    });
  }
  if (due.empty()) return;
  const bool durable = host_.hosting().change_and_wait(
      [&](grasp::Policy& policy, core::UnixSeconds now, grasp::Transition& changes) {
        grasp::Purgatory& purgatory = policy.purgatory();
        for (const auto& [coordinate, id] : due) {
          if (ends(purgatory.announcement(coordinate))) purgatory.extend(coordinate, now, changes);
          if (ends(purgatory.pull(id))) purgatory.extend_pull(id, now, changes);
          const auto* held = purgatory.state(id, coordinate.identifier);
          if (ends(held))
            purgatory.extend_state({held->state.author, coordinate.identifier}, now, changes);
        }
      });
  if (durable) plan_.extended(due);
}

}  // namespace graspd::serve
