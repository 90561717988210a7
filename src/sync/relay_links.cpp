#include "sync/relay_links.h"

#include <algorithm>

#include "core/check.h"

namespace graspd::sync {
namespace {

using namespace std::chrono_literals;
constexpr core::Duration kInformationFresh = 1h;
constexpr core::Duration kLongWait = 24h;  // a private or forbidden peer is looked at once a day

}  // namespace

PeerSession* RelayLinks::session_of(RelayId id, Session session) {
  Relay* relay = relays_.find(id);
  PeerSession* current = relay == nullptr ? nullptr : relay->connection();
  if (current != nullptr && current->session() == session) return current;
  ++context_.meter.stale_inputs;  // R6 of sync/engine.h
  return nullptr;
}

// The session is over, but what we failed to take of it is still missing.
template <class In>
void RelayLinks::too_late(core::Now now, const In& in) {
  if constexpr (std::is_same_v<In, EventJudged>) {
    Relay* relay = relays_.find(in.relay);
    const bool is_missing =
        in.outcome == nostr::Outcome::Failed || in.outcome == nostr::Outcome::Postponed;
    if (!is_missing || relay == nullptr) return;
    relay->memory.lose(in.id, now.instant + context_.options.lost_retry);
  }
}

template <class In>
void RelayLinks::pass_on(core::Now now, const In& in) {
  PeerSession* session = session_of(in.relay, in.session);
  if (session == nullptr) return too_late(now, in);
  constexpr bool is_ours = std::is_same_v<In, EventJudged> || std::is_same_v<In, LookedUp> ||
                           std::is_same_v<In, NegOpened> || std::is_same_v<In, ReadingPaused> ||
                           std::is_same_v<In, ReadingResumed>;
  if (!is_ours) session->heard(now);
  session->on(now, in);
  tend(now, *relays_.find(in.relay));
}
template void RelayLinks::pass_on(core::Now, const EventArrived&);
template void RelayLinks::pass_on(core::Now, const EventJudged&);
template void RelayLinks::pass_on(core::Now, const ReadingPaused&);
template void RelayLinks::pass_on(core::Now, const ReadingResumed&);
template void RelayLinks::pass_on(core::Now, const EndOfStored&);
template void RelayLinks::pass_on(core::Now, const Closed&);
template void RelayLinks::pass_on(core::Now, const Notice&);
template void RelayLinks::pass_on(core::Now, const Authenticated&);
template void RelayLinks::pass_on(core::Now, const NegOpened&);
template void RelayLinks::pass_on(core::Now, const NegStepped&);
template void RelayLinks::pass_on(core::Now, const NegFailed&);
template void RelayLinks::pass_on(core::Now, const LookedUp&);

void RelayLinks::on(core::Now now, const Heard& in) {
  PeerSession* session = session_of(in.relay, in.session);
  if (session == nullptr) return;
  session->heard(now);
  tend(now, *relays_.find(in.relay));
}

bool RelayLinks::is_wanted(const Relay& relay) const {  // R2 of sync/engine.h
  return !is_stopped_ && (relay.memory.bootstrap || !context_.targets.of(relay.memory.id).empty());
}

std::optional<core::Instant> RelayLinks::leave_at(const Relay& relay) const {
  if (!relay.lonely_since) return std::nullopt;
  return *relay.lonely_since + context_.options.linger;
}

bool RelayLinks::is_over(const Relay& relay, core::Now now) const {
  const auto leaves = leave_at(relay);
  return std::holds_alternative<Down>(relay.link) && !is_wanted(relay) && leaves &&
         *leaves <= now.instant;
}

void RelayLinks::tend(core::Now now, Relay& relay) {
  const std::uint32_t alarm = relay.memory.id.value;
  const bool wanted = is_wanted(relay);
  if (wanted) relay.lonely_since.reset();
  if (!wanted && !relay.lonely_since) relay.lonely_since = now.instant;
  if (PeerSession* session = relay.connection()) return tend_session(now, relay, *session);
  if (!std::holds_alternative<Down>(relay.link)) {
    alarms_.set(alarm, std::nullopt);
  } else if (wanted) {
    queue_dial(now, relay);
  } else {
    alarms_.set(alarm, leave_at(relay));
  }
}

void RelayLinks::tend_session(core::Now now, Relay& relay, PeerSession& session) {
  session.tick(now);
  if (!session.offence().empty()) {
    const std::string why = session.offence();
    return hang_up(now, relay, why, true);
  }
  const auto leaves = leave_at(relay);
  if (leaves && *leaves <= now.instant) {
    context_.log(core::log::Level::Info, "sync: leaving {}: no repository lists it",
                 relay.memory.url.text());
    return hang_up(now, relay, "not needed", false);
  }
  if (relay.daily_at && *relay.daily_at <= now.instant) {
    relay.daily_at = next_daily(now);
    context_.log(core::log::Level::Info, "sync: daily sync of {}", relay.memory.url.text());
    session.start_fresh(now, Source::Daily);
  }
  session.pump(now);
  auto due = session.next_due(now);
  for (const auto& at : {relay.daily_at, leaves}) {
    if (at) due = std::min(due.value_or(*at), *at);
  }
  alarms_.set(relay.memory.id.value, due);
  if (relay.memory.dirty) save(now, relay);
}

core::Instant RelayLinks::next_daily(core::Now now) {
  return now.instant + context_.options.daily +
         core::Duration(context_.rng.below(context_.options.daily_spread.count() + 1));
}

void RelayLinks::queue_dial(core::Now now, Relay& relay) {
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

void RelayLinks::start_dials(core::Now now) {
  while (!dial_queue_.empty()) {
    const auto ready = dials_.ready_at(now.instant);
    if (!ready) return;
    if (*ready > now.instant) return alarms_.set(kDialAlarm, ready);
    Relay* relay = relays_.find(dial_queue_.begin()->second);
    dial_queue_.erase(dial_queue_.begin());
    if (relay == nullptr || !std::holds_alternative<Down>(relay->link)) continue;
    const bool paused = relay->memory.health.may_dial_at() > now.instant;  // while it waited
    if (paused || !is_wanted(*relay)) {
      tend(now, *relay);
    } else {
      start_dial(now, *relay);
    }
  }
}

void RelayLinks::start_dial(core::Now now, Relay& relay) {
  dials_.started(now.instant);
  const Session session{++sessions_};
  const auto& read_at = relay.memory.information_read_at;
  if (read_at && now.instant - *read_at < kInformationFresh) return dial(now, relay, session);
  relay.link = Asking{session};
  context_.ask(ReadInformation{relay.memory.id, session, relay.memory.url});
}

template <class State>
Relay* RelayLinks::in_state(RelayId id, Session session) {
  Relay* relay = relays_.find(id);
  const State* state = relay == nullptr ? nullptr : std::get_if<State>(&relay->link);
  return state != nullptr && state->session == session ? relay : nullptr;
}

void RelayLinks::on(core::Now now, const InformationRead& in) {
  Relay* relay = in_state<Asking>(in.relay, in.session);
  if (relay == nullptr) return;
  if (in.information) {  // else what it said before still counts: a private server stays one
    relay->memory.information = in.information;
    relay->memory.information_read_at = now.instant;
  }
  dial(now, *relay, in.session);
}

bool RelayLinks::is_left_alone(const Relay& relay) const {
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

void RelayLinks::leave_alone(core::Now now, Relay& relay) {
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

void RelayLinks::dial(core::Now now, Relay& relay, Session session) {
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

void RelayLinks::attempt_over(core::Now now, Relay& relay) {
  dials_.ended();
  relay.link = Down{};
  tend(now, relay);
}

// R2. Nobody is blamed, not even those who failed before it showed.
void RelayLinks::clear_failures(core::Now now) {
  for (const RelayId id : dials_.accused()) {
    Relay* relay = relays_.find(id);
    if (relay == nullptr) continue;
    relay->memory.health.dial_unblamed(context_.options, now);
    tend(now, *relay);
  }
}

void RelayLinks::blame(core::Now now, Relay& relay, const std::string& why) {
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
void RelayLinks::reject(core::Now now, Relay& relay, const std::string& why) {
  context_.log(core::log::Level::Warn, "sync: Rejecting event-directed sync relay target {}: {}",
               relay.memory.url.text(), why);
  relay.memory.health.retry_at(now.instant + kLongWait);
}

void RelayLinks::on(core::Now now, const DialFailed& in) {
  Relay* relay = in_state<Dialing>(in.relay, in.session);
  if (relay == nullptr) return;
  Health& health = relay->memory.health;
  ++relay->memory.meter.dials_failed;
  relay->memory.problem = in.problem;
  const bool says_something =
      health.has_worked() && health.failures() == 0 &&
      (in.problem == DialProblem::Network || in.problem == DialProblem::Name);
  if (says_something) dials_.report(now.instant, in.relay, false);
  if (in.problem == DialProblem::TooManyCalls) {
    health.rate_limited(context_.options, now, in.retry_after);
  } else if (says_something && dials_.fault_is_ours(now.instant)) {
    clear_failures(now);
  } else {
    blame(now, *relay, in.text);
    if (in.problem == DialProblem::Forbidden) reject(now, *relay, in.text);
  }
  save(now, *relay);
  attempt_over(now, *relay);
}

void RelayLinks::on(core::Now now, const Connected& in) {
  Relay* relay = in_state<Dialing>(in.relay, in.session);
  if (relay == nullptr) return;
  RelayMemory& memory = relay->memory;
  dials_.ended();
  if (memory.health.has_worked()) dials_.report(now.instant, in.relay, true);
  ++memory.meter.dials_succeeded;
  memory.problem.reset();
  memory.health.connected(now);
  start_session(now, *relay, in.session);
  tend(now, *relay);
}

void RelayLinks::start_session(core::Now now, Relay& relay, Session number) {
  RelayMemory& memory = relay.memory;
  relay.link = Up{std::make_unique<PeerSession>(context_, memory, number, now)};
  PeerSession& session = *relay.connection();
  // States are read with the announcements or by name: what was read the other way does not count.
  const bool same_kind = memory.read_as_grasp == is_grasp_server(memory.information);
  const bool quick = same_kind && memory.disconnected_at &&
                     now.instant - *memory.disconnected_at <= context_.options.quick_reconnect;
  context_.log(core::log::Level::Info, "sync: connected to {}, {}", memory.url.text(),
               quick ? "resuming after a short outage" : "starting from the beginning");
  session.introduce(now);
  if (quick) {  // R4 of sync/engine.h
    session.start_quick(now);
  } else {
    session.start_fresh(now, Source::Historic);
    relay.daily_at.reset();
  }
  if (!relay.daily_at) relay.daily_at = next_daily(now);
  session.heard(now);
}

void RelayLinks::lost(core::Now now, Relay& relay, const std::string& why, bool is_guilty) {
  PeerSession* session = relay.connection();
  const bool served = session->served() && !is_guilty;
  relay.memory.disconnected_at = now.instant;
  if (const auto since = relay.memory.health.up_since())
    relay.memory.uptime += now.instant - *since;
  session->end(now);
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

void RelayLinks::hang_up(core::Now now, Relay& relay, const std::string& why, bool is_guilty) {
  const Session session = relay.connection()->session();
  lost(now, relay, why, is_guilty);
  relay.link = Leaving{session};
  context_.ask(HangUp{relay.memory.id, session, why});
  tend(now, relay);
}

void RelayLinks::on(core::Now now, const Disconnected& in) {
  Relay* relay = relays_.find(in.relay);
  if (relay == nullptr) return;
  if (const Leaving* leaving = std::get_if<Leaving>(&relay->link)) {
    if (leaving->session != in.session) return;
    relay->link = Down{};
  } else {
    if (session_of(in.relay, in.session) == nullptr) return;
    lost(now, *relay, in.text, in.at_fault);
  }
  tend(now, *relay);
}

void RelayLinks::stop(core::Now now) {
  for (const auto& [id, relay] : relays_.relays()) save(now, *relay);
  is_stopped_ = true;
  dial_queue_.clear();
  for (const auto& [id, relay] : relays_.relays()) {
    PeerSession* session = relay->connection();
    if (session == nullptr) continue;
    session->close_all();
    hang_up(now, *relay, "shutting down", false);
  }
}

void RelayLinks::save(core::Now now, Relay& relay) {
  if (is_stopped_) return;
  const RelayMemory& memory = relay.memory;
  relay.memory.dirty = false;
  context_.ask(Save{{.url = memory.url,
                     .health = memory.health.record(now),
                     .lessons = memory.lessons,
                     .lost = memory.lost.record()}});
}

}  // namespace graspd::sync
