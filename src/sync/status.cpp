#include "sync/status.h"

#include <algorithm>
#include <chrono>

#include "core/check.h"
#include "sync/relay.h"
#include "sync/session_context.h"

namespace graspd::sync {
namespace {

core::UnixSeconds to_unix(core::Instant at, core::Now now) {
  return now.unix_seconds +
         std::chrono::duration_cast<std::chrono::seconds>(at - now.instant).count();
}

LinkState link_state(const Relay& relay, core::Now now) {
  if (std::holds_alternative<Leaving>(relay.link)) return LinkState::Disconnecting;
  if (std::holds_alternative<Down>(relay.link)) return LinkState::Disconnected;
  const PeerSession* connection = relay.connection();
  if (connection == nullptr) return LinkState::Connecting;
  if (connection->is_syncing(now)) return LinkState::Syncing;
  return connection->has_gaps() ? LinkState::ConnectedWithGaps : LinkState::Connected;
}

BatchStatus batch_status(std::uint32_t id, const Batch& batch, core::Now now) {
  BatchStatus out{.id = id,
                  .kind = batch.kind,
                  .source = batch.source,
                  .items = batch.items.size(),
                  .arrived = batch.arrived,
                  .stored = batch.stored,
                  .started = batch.started,
                  .failed = batch.failed};
  for (const auto& [number, job] : batch.jobs) {
    if (job.phase == Job::Phase::Done) {
      ++out.requests_done;
      continue;
    }
    if (out.requests_left++ == 0) out.method = job.method;
    out.requests_in_flight += job.phase == Job::Phase::Flying ? 1 : 0;
    out.ids_waiting += job.ids_waiting;
    if (job.phase == Job::Phase::Stuck) out.why = job.why;
  }
  if (batch.failed && batch.retry_at > now.instant && batch.retry_at != core::Instant::max()) {
    out.retry_at = to_unix(batch.retry_at, now);
  }
  return out;
}

void describe_connection(const PeerSession& connection, core::Now now, RelayStatus& out) {
  out.subscriptions_open = connection.wires().open_count();
  out.live_subscriptions = connection.live().groups().open_count();
  out.history_subscriptions = connection.wires().history_open();
  out.live_repairs = connection.live().groups().repairs(now);
  out.rereading = connection.history().books().rereading();
  out.over_budget = connection.reading().is_over_budget(now);
  out.live_filters = connection.live().plan().live_filters;
  out.rotating_filters = connection.live().plan().rotating_filters;
  out.pace_per_minute = connection.wires().pace().per_minute();
  for (const auto& [id, batch] : connection.history().batches()) {
    out.batches.push_back(batch_status(id, batch, now));
  }
}

}  // namespace

const char* name(LinkState state) {
  switch (state) {
    case LinkState::Disconnected:
      return "disconnected";
    case LinkState::Connecting:
      return "connecting";
    case LinkState::Syncing:
      return "syncing";
    case LinkState::Connected:
      return "connected";
    case LinkState::ConnectedWithGaps:
      return "connected_with_gaps";
    case LinkState::Disconnecting:
      return "disconnecting";
  }
  CHECK(false);
  return "";
}

const char* name(HealthState state) {
  switch (state) {
    case HealthState::Healthy:
      return "healthy";
    case HealthState::Disconnected:
      return "disconnected";
    case HealthState::Degraded:
      return "degraded";
    case HealthState::Dead:
      return "dead";
    case HealthState::RateLimited:
      return "rate_limited";
    case HealthState::PolicyLimited:
      return "policy_limited";
  }
  CHECK(false);
  return "";
}

const char* name(Level level) {
  switch (level) {
    case Level::StateOnly:
      return "state_only";
    case Level::Full:
      return "full";
  }
  CHECK(false);
  return "";
}

const char* name(Batch::Kind kind) {
  switch (kind) {
    case Batch::Kind::Announcements:
      return "announcements";
    case Batch::Kind::Items:
      return "history";
    case Batch::Kind::CatchUp:
      return "catch_up";
    case Batch::Kind::Rotation:
      return "rotation";
    case Batch::Kind::Given:
      return "given";
  }
  CHECK(false);
  return "";
}

const char* name(Job::Method method) {
  switch (method) {
    case Job::Method::Sweep:
      return "sweep";
    case Job::Method::Pages:
      return "pages";
    case Job::Method::Reconcile:
      return "negentropy";
  }
  CHECK(false);
  return "";
}

RelayStatus status_of(const Relay& relay, const SessionContext& context, core::Now now) {
  const RelayMemory& memory = relay.memory;
  const Items& target = context.targets.of(memory.id);
  const Items confirmed = memory.confirmed & target;
  RelayStatus out{.id = memory.id,
                  .url = memory.url.text(),
                  .bootstrap = memory.bootstrap,
                  .is_private = is_private(memory.information),
                  .pubkey = memory.information ? memory.information->pubkey : std::nullopt,
                  .link = link_state(relay, now),
                  .health = memory.health.state(context.options, now),
                  .why = memory.health.reason(),
                  .failures = memory.health.failures(),
                  .problem = memory.problem,
                  .last_alive = memory.last_alive,
                  .last_event = memory.last_event,
                  .last_success = memory.health.last_success(),
                  .historic_completed_at = memory.historic_completed_at,
                  .target_repos = target.repos.size() + target.states.size(),
                  .target_roots = target.roots.size(),
                  .confirmed_repos = confirmed.repos.size() + confirmed.states.size(),
                  .confirmed_roots = confirmed.roots.size(),
                  .announcements_synced = memory.announcements_synced,
                  .ids_lost = memory.lost.size(),
                  .ids_given_up = memory.ids_given_up,
                  .filters_parked = memory.parked.size(),
                  .coverage = memory.coverage,
                  .software = memory.information ? memory.information->software : "",
                  .negentropy_works = memory.lessons.negentropy_worked,
                  .negentropy_refused_until = memory.lessons.negentropy_refused_until,
                  .meter = memory.meter};
  if (memory.health.is_paused(now)) out.paused_until = to_unix(*memory.health.paused_until(), now);
  if (relay.daily_at) out.next_daily = to_unix(*relay.daily_at, now);
  if (std::holds_alternative<Down>(relay.link)) {
    out.next_try = std::max(now.unix_seconds, to_unix(memory.health.may_dial_at(), now));
  }
  core::Duration uptime = memory.uptime;
  if (const auto since = memory.health.up_since()) {
    out.connected_since = to_unix(*since, now);
    uptime += now.instant - *since;
  }
  out.uptime_seconds = static_cast<std::uint64_t>(uptime.count() / 1000);
  if (const PeerSession* connection = relay.connection()) {
    describe_connection(*connection, now, out);
    out.last_alive = connection->alive_at(now);
  }
  return out;
}

}  // namespace graspd::sync
