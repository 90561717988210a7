#include <algorithm>

#include "core/check.h"
#include "sync/engine.h"

namespace graspd::sync {
namespace {

using namespace std::chrono_literals;
constexpr core::Duration kInformationFresh = 1h;
constexpr core::Duration kLongWait = 24h;  // a private or forbidden peer is looked at once a day
constexpr std::size_t kRecordsMax = 10'000;

}  // namespace

PeerSession* Engine::connection_of(RelayId relay, Session session) {
  const auto at = relays_.find(relay);
  PeerSession* connection = at == relays_.end() ? nullptr : at->second->connection();
  if (connection != nullptr && connection->session() == session) return connection;
  ++context_.meter.stale_inputs;  // R6
  return nullptr;
}

// The session is over, but what we failed to take of it is still missing.
template <class In>
void Engine::too_late(core::Now now, const In& in) {
  if constexpr (std::is_same_v<In, EventJudged>) {
    const auto at = relays_.find(in.relay);
    const bool is_missing = in.verdict == Verdict::Failed || in.verdict == Verdict::Postponed;
    if (!is_missing || at == relays_.end()) return;
    at->second->memory.lose(in.id, now.instant + context_.options.lost_retry);
  }
}

template <class In>
void Engine::pass_on(core::Now now, const In& in) {
  PeerSession* connection = connection_of(in.relay, in.session);
  if (connection == nullptr) return too_late(now, in);
  constexpr bool is_ours = std::is_same_v<In, EventJudged> || std::is_same_v<In, LookedUp> ||
                           std::is_same_v<In, NegOpened> || std::is_same_v<In, ReadingPaused> ||
                           std::is_same_v<In, ReadingResumed>;
  if (!is_ours) connection->heard(now);
  connection->on(now, in);
  tend(now, *relays_.at(in.relay));
}
template void Engine::pass_on(core::Now, const EventArrived&);
template void Engine::pass_on(core::Now, const EventJudged&);
template void Engine::pass_on(core::Now, const ReadingPaused&);
template void Engine::pass_on(core::Now, const ReadingResumed&);
template void Engine::pass_on(core::Now, const EndOfStored&);
template void Engine::pass_on(core::Now, const Closed&);
template void Engine::pass_on(core::Now, const Notice&);
template void Engine::pass_on(core::Now, const Authenticated&);
template void Engine::pass_on(core::Now, const NegOpened&);
template void Engine::pass_on(core::Now, const NegStepped&);
template void Engine::pass_on(core::Now, const NegFailed&);
template void Engine::pass_on(core::Now, const LookedUp&);

void Engine::on(core::Now now, const Heard& in) {
  PeerSession* connection = connection_of(in.relay, in.session);
  if (connection == nullptr) return;
  connection->heard(now);
  tend(now, *relays_.at(in.relay));
}

bool Engine::is_wanted(const Relay& relay, core::Now now) const {  // R2
  (void)now;
  return !stopped_ && (relay.memory.bootstrap || !context_.targets.of(relay.memory.id).empty());
}

void Engine::tend(core::Now now, Relay& relay) {
  const RelayId id = relay.memory.id;
  const bool wanted = is_wanted(relay, now);
  if (wanted) relay.lonely_since.reset();
  if (!wanted && !relay.lonely_since) relay.lonely_since = now.instant;
  const auto leave_at = relay.lonely_since
                            ? std::optional(*relay.lonely_since + context_.options.linger)
                            : std::nullopt;
  if (PeerSession* connection = relay.connection()) {
    connection->tick(now);
    if (!connection->offence().empty()) {
      const std::string why = connection->offence();
      return hang_up(now, relay, why, true);
    }
    if (leave_at && *leave_at <= now.instant) {
      context_.log(core::log::Level::Info, "sync: leaving {}: no repository lists it",
                   relay.memory.url.text());
      return hang_up(now, relay, "not needed", false);
    }
    if (relay.daily_at && *relay.daily_at <= now.instant) {
      relay.daily_at =
          now.instant + context_.options.daily +
          core::Duration(context_.rng.below(context_.options.daily_spread.count() + 1));
      context_.log(core::log::Level::Info, "sync: daily sync of {}", relay.memory.url.text());
      connection->start_fresh(now, Source::Daily);
    }
    connection->pump(now);
    auto due = connection->next_due(now);
    for (const auto& at : {relay.daily_at, leave_at}) {
      if (at) due = std::min(due.value_or(*at), *at);
    }
    alarms_.set(id.value, due);
    if (relay.memory.dirty) save(now, relay);
    return;
  }
  if (!std::holds_alternative<Down>(relay.link)) {
    alarms_.set(id.value, std::nullopt);
  } else if (wanted) {
    queue_dial(now, relay);
  } else {
    alarms_.set(id.value, leave_at);
  }
}

void Engine::fall_due(core::Now now, RelayId id) {
  const auto at = relays_.find(id);
  if (at == relays_.end()) return;
  Relay& relay = *at->second;
  const bool is_over = std::holds_alternative<Down>(relay.link) && !is_wanted(relay, now) &&
                       relay.lonely_since &&
                       *relay.lonely_since + context_.options.linger <= now.instant;
  if (is_over) return forget(now, id);
  tend(now, relay);
}

void Engine::queue_dial(core::Now now, Relay& relay) {
  const core::Instant due = relay.memory.health.may_dial_at();
  if (due > now.instant) {
    alarms_.set(relay.memory.id.value, due);
    return;
  }
  alarms_.set(relay.memory.id.value, std::nullopt);
  const auto is_this = [&](const auto& one) { return one.second == relay.memory.id; };
  if (std::none_of(dial_queue_.begin(), dial_queue_.end(), is_this)) {
    dial_queue_.emplace(due, relay.memory.id);
  }
}

void Engine::start_dials(core::Now now) {
  while (!dial_queue_.empty()) {
    const auto ready = dials_.ready_at(now.instant);
    if (!ready) return;
    if (*ready > now.instant) return alarms_.set(kDialAlarm, ready);
    const RelayId id = dial_queue_.begin()->second;
    dial_queue_.erase(dial_queue_.begin());
    const auto at = relays_.find(id);
    if (at == relays_.end() || !std::holds_alternative<Down>(at->second->link)) continue;
    const bool paused = at->second->memory.health.may_dial_at() > now.instant;  // while it waited
    if (paused || !is_wanted(*at->second, now)) {
      tend(now, *at->second);
    } else {
      start_dial(now, *at->second);
    }
  }
}

void Engine::start_dial(core::Now now, Relay& relay) {
  dials_.started(now.instant);
  const Session session{++sessions_};
  const auto& read_at = relay.memory.information_read_at;
  if (read_at && now.instant - *read_at < kInformationFresh) return dial(now, relay, session);
  relay.link = Asking{session};
  context_.ask(ReadInformation{relay.memory.id, session, relay.memory.url});
}

void Engine::on(core::Now now, const InformationRead& in) {
  const auto at = relays_.find(in.relay);
  if (at == relays_.end()) return;
  Relay& relay = *at->second;
  const Asking* asking = std::get_if<Asking>(&relay.link);
  if (asking == nullptr || asking->session != in.session) return;
  if (in.information) {  // else what it said before still counts: a private server stays one
    relay.memory.information = in.information;
    relay.memory.information_read_at = now.instant;
  }
  dial(now, relay, in.session);
}

bool Engine::is_left_alone(const Relay& relay) const {
  const bool is_private_peer = is_private(relay.memory.information);
  switch (context_.options.peers) {
    case Peers::Public:
      return is_private_peer;
    case Peers::Private:
      return !is_private_peer && !relay.memory.bootstrap;
    case Peers::All:
      return false;
  }
  CHECK(false);
}

void Engine::leave_alone(core::Now now, Relay& relay) {
  const std::string& url = relay.memory.url.text();
  if (!relay.left_alone_logged && is_private(relay.memory.information))
    context_.log(
        core::log::Level::Warn,
        "sync: Relay advertises GRASP-08 private service; excluding it from public sync: {}", url);
  else if (!relay.left_alone_logged)
    context_.log(core::log::Level::Info,
                 "sync: {} is no private service (GRASP-08); this private service leaves it alone",
                 url);
  relay.left_alone_logged = true;
  relay.memory.information_read_at.reset();
  relay.memory.health.retry_at(now.instant + kLongWait);
}

void Engine::dial(core::Now now, Relay& relay, Session session) {
  if (is_left_alone(relay)) {
    // What kind it is cannot be told while it is away.
    if (!relay.memory.information)
      blame(now, relay, "its NIP-11 document could not be read");
    else
      leave_alone(now, relay);
    return attempt_over(now, relay);
  }
  relay.link = Dialing{session};
  context_.ask(Dial{relay.memory.id, session, relay.memory.url, context_.options.backoff_base});
}

void Engine::attempt_over(core::Now now, Relay& relay) {
  dials_.ended();
  relay.link = Down{};
  tend(now, relay);
}

// The fault is ours: nobody is blamed, not even those who failed before it showed.
void Engine::clear_failures(core::Now now) {
  for (const RelayId id : dials_.accused()) {
    const auto at = relays_.find(id);
    if (at == relays_.end()) continue;
    at->second->memory.health.dial_unblamed(context_.options, now);
    tend(now, *at->second);
  }
}

void Engine::blame(core::Now now, Relay& relay, const std::string& why) {
  Health& health = relay.memory.health;
  const bool was_dead = health.state(context_.options, now) == HealthState::Dead;
  health.dial_failed(context_.options, now, why);
  const auto wait =
      std::chrono::duration_cast<std::chrono::seconds>(health.may_dial_at() - now.instant);
  context_.log(core::log::Level::Warn, "sync: {} failed: {} (failure {}, next try in {} s)",
               relay.memory.url.text(), why, health.failures(), wait.count());
  if (!was_dead && health.state(context_.options, now) == HealthState::Dead) {
    context_.log(core::log::Level::Error, "sync: {} is dead: every attempt failed for a day",
                 relay.memory.url.text());
  }
}

// The words are those operators look for.
void Engine::reject(core::Now now, Relay& relay, const std::string& why) {
  context_.log(core::log::Level::Warn, "sync: Rejecting event-directed sync relay target {}: {}",
               relay.memory.url.text(), why);
  relay.memory.health.retry_at(now.instant + kLongWait);
}

void Engine::on(core::Now now, const DialFailed& in) {
  const auto at = relays_.find(in.relay);
  if (at == relays_.end()) return;
  Relay& relay = *at->second;
  const Dialing* dialing = std::get_if<Dialing>(&relay.link);
  if (dialing == nullptr || dialing->session != in.session) return;
  Health& health = relay.memory.health;
  ++relay.memory.meter.dials_failed;
  relay.memory.problem = in.problem;
  const bool says_something =
      health.has_worked() && health.failures() == 0 &&
      (in.problem == DialProblem::Network || in.problem == DialProblem::Name);
  if (says_something) dials_.report(now.instant, in.relay, false);
  if (in.problem == DialProblem::TooManyCalls) {
    health.rate_limited(context_.options, now, in.retry_after);
  } else if (says_something && dials_.fault_is_ours(now.instant)) {
    clear_failures(now);
  } else {
    blame(now, relay, in.text);
    if (in.problem == DialProblem::Forbidden) reject(now, relay, in.text);
  }
  save(now, relay);
  attempt_over(now, relay);
}

void Engine::on(core::Now now, const Connected& in) {
  const auto at = relays_.find(in.relay);
  if (at == relays_.end()) return;
  Relay& relay = *at->second;
  const Dialing* dialing = std::get_if<Dialing>(&relay.link);
  if (dialing == nullptr || dialing->session != in.session) return;
  RelayMemory& memory = relay.memory;
  dials_.ended();
  if (memory.health.has_worked()) dials_.report(now.instant, in.relay, true);
  ++memory.meter.dials_succeeded;
  memory.problem.reset();
  memory.health.connected(now);
  relay.link = Up{std::make_unique<PeerSession>(context_, memory, in.session, now)};
  // States are read with the announcements or by name: what was read the other way does not count.
  const bool same_kind = memory.read_as_grasp == is_grasp_server(memory.information);
  const bool quick = same_kind && memory.disconnected_at &&
                     now.instant - *memory.disconnected_at <= context_.options.quick_reconnect;
  context_.log(core::log::Level::Info, "sync: connected to {}, {}", memory.url.text(),
               quick ? "resuming after a short outage" : "starting from the beginning");
  relay.connection()->introduce(now);
  if (quick) {  // R4
    relay.connection()->start_quick(now);
  } else {
    relay.connection()->start_fresh(now, Source::Historic);
    relay.daily_at.reset();
  }
  if (!relay.daily_at) {
    relay.daily_at = now.instant + context_.options.daily +
                     core::Duration(context_.rng.below(context_.options.daily_spread.count() + 1));
  }
  relay.connection()->heard(now);
  tend(now, relay);
}

void Engine::lost(core::Now now, Relay& relay, const std::string& why, bool is_guilty) {
  PeerSession* connection = relay.connection();
  const bool served = connection->served() && !is_guilty;
  relay.memory.disconnected_at = now.instant;
  if (const auto since = relay.memory.health.up_since())
    relay.memory.uptime += now.instant - *since;
  connection->end(now);
  context_.log(core::log::Level::Info, "sync: disconnected from {}: {}", relay.memory.url.text(),
               why);
  if (is_guilty) {
    relay.memory.health.left(context_.options, now);
    blame(now, relay, why);
  } else {
    relay.memory.health.dropped(context_.options, now, served, why, context_.rng);
  }
  relay.link = Down{};
  save(now, relay);
}

void Engine::hang_up(core::Now now, Relay& relay, const std::string& why, bool is_guilty) {
  const Session session = relay.connection()->session();
  lost(now, relay, why, is_guilty);
  relay.link = Leaving{session};
  context_.ask(HangUp{relay.memory.id, session, why});
  tend(now, relay);
}

void Engine::on(core::Now now, const Disconnected& in) {
  const auto at = relays_.find(in.relay);
  if (at == relays_.end()) return;
  Relay& relay = *at->second;
  if (const Leaving* leaving = std::get_if<Leaving>(&relay.link)) {
    if (leaving->session != in.session) return;
    relay.link = Down{};
  } else {
    if (connection_of(in.relay, in.session) == nullptr) return;
    lost(now, relay, in.text, in.at_fault);
  }
  tend(now, relay);
}

void Engine::save(core::Now now, Relay& relay) {
  if (stopped_) return;  // that we left says nothing of the relay
  const RelayMemory& memory = relay.memory;
  relay.memory.dirty = false;
  context_.ask(Save{{.url = memory.url,
                     .health = memory.health.record(now),
                     .lessons = memory.lessons,
                     .lost = memory.lost.record()}});
}

// The relay goes, and all that is counted for it; its health is kept in case it comes back.
void Engine::forget(core::Now now, RelayId id) {
  Relay& relay = *relays_.at(id);
  RelayRecord record{.url = relay.memory.url,
                     .health = relay.memory.health.record(now),
                     .lessons = relay.memory.lessons,
                     .lost = {}};
  if (record.health.failures == 0 || records_.size() >= kRecordsMax) {
    context_.ask(Forget{record.url});
  } else {
    records_.insert_or_assign(record.url, std::move(record));
  }
  context_.history.leave(id);
  alarms_.set(id.value, std::nullopt);
  places_.leave(relay.memory.url);
  handles_.erase(relay.memory.url);
  relays_.erase(id);
}

}  // namespace graspd::sync
