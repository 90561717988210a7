#include "sync/engine.h"

#include <algorithm>
#include <type_traits>

namespace graspd::sync {
namespace {

template <class In, class... Types>
constexpr bool is_one_of = (std::is_same_v<In, Types> || ...);

template <class In>
constexpr bool is_for_feed = is_one_of<In, RepoSeen, RepoGone, RootSeen, RootGone>;
template <class In>
constexpr bool is_for_links =
    is_one_of<In, InformationRead, DialFailed, Connected, Disconnected, Heard>;
template <class In>
constexpr bool is_for_session =
    is_one_of<In, EventArrived, EventJudged, ReadingPaused, ReadingResumed, EndOfStored, Closed,
              Notice, Authenticated, NegOpened, NegStepped, NegFailed, LookedUp>;

}  // namespace

Engine::Engine(Options options, core::Rng rng)
    : context_(std::move(options), rng),
      feed_(context_, relays_),
      links_(context_, relays_, alarms_) {}

Actions Engine::step(core::Now now, const Input& input) {
  context_.actions.clear();
  ++context_.meter.steps;
  std::visit([&](const auto& in) { dispatch(now, in); }, input);
  if (feed_.places().has_free()) fill_places(now);
  admit_to_history(now);
  links_.start_dials(now);
  arm();
  return std::move(context_.actions);
}

template <class In>
void Engine::dispatch(core::Now now, const In& in) {
  if constexpr (is_for_feed<In>) {
    if (feed_.stage(in)) alarms_.set(kFeedAlarm, now.instant + context_.options.batch_window);
  } else if constexpr (is_for_links<In>) {
    links_.on(now, in);
  } else if constexpr (is_for_session<In>) {
    links_.pass_on(now, in);
  } else {
    on(now, in);
  }
}

void Engine::on(core::Now now, const FeedHistoryEnded&) {
  tend(now, feed_.end_history(now));
  commit(now);
}

void Engine::on(core::Now, const RootTouched& in) { context_.index.touch(in.id, in.created_at); }

void Engine::on(core::Now, const Restored& in) {
  for (const RelayRecord& record : in.relays) relays_.restore(record);
}

void Engine::on(core::Now now, const WantedAgain& in) {
  Relay* relay = relays_.find(in.url);
  if (relay == nullptr) return;
  for (const nostr::EventId& id : in.ids) relay->memory.lost.add(id, now.instant);
  relay->memory.dirty = true;
  links_.tend(now, *relay);
}

void Engine::on(core::Now now, const RetryWanted& in) {
  Relay* relay = relays_.find(in.url);
  if (relay == nullptr) return;
  relay->memory.health.retry_now(now);
  relay->memory.information_read_at.reset();
  if (PeerSession* session = relay->connection()) session->retry_now(now);
  links_.tend(now, *relay);
}

void Engine::on(core::Now now, const StopWanted&) { links_.stop(now); }

void Engine::on(core::Now now, const Alarm&) {
  armed_.reset();
  while (const auto key = alarms_.take_due(now.instant)) {
    if (*key == kFeedAlarm) {
      commit(now);
    } else if (*key != RelayLinks::kDialAlarm) {
      if (Relay* relay = relays_.find(RelayId{*key})) fall_due(now, *relay);
    }
  }
}

void Engine::commit(core::Now now) {
  feed_.commit();
  fill_places(now);
}

void Engine::fill_places(core::Now now) {
  tend(now, feed_.fill_places(now));
  for (const auto& [id, change] : context_.targets.take_changed()) {
    Relay* relay = relays_.find(id);
    if (relay == nullptr) continue;
    if (PeerSession* session = relay->connection()) session->target_changed(now, change);
    links_.tend(now, *relay);
  }
}

void Engine::tend(core::Now now, const std::vector<RelayId>& relays) {
  for (const RelayId id : relays) links_.tend(now, *relays_.find(id));
}

void Engine::admit_to_history(core::Now now) {
  while (const auto admitted = context_.history.take_admitted(now.instant)) {
    Relay* relay = relays_.find(*admitted);
    if (relay == nullptr || relay->connection() == nullptr) {
      context_.history.leave(*admitted);
    } else {
      links_.tend(now, *relay);
    }
  }
}

// A relay that nobody wants goes, and all that is counted for it.
void Engine::fall_due(core::Now now, Relay& relay) {
  if (!links_.is_over(relay, now)) return links_.tend(now, relay);
  const RelayId id = relay.memory.id;
  const nostr::RelayUrl url = relay.memory.url;
  if (!relays_.remove(now, id)) context_.ask(Forget{url});
  context_.history.leave(id);
  alarms_.set(id.value, std::nullopt);
  feed_.leave(url);
}

void Engine::arm() {
  const auto next = alarms_.next();
  // Every event puts off what is due next: an alarm that comes too early is cheaper than one set
  // anew for each.
  const bool is_in_time = next && armed_ && *armed_ <= *next;
  if (!next || is_in_time || links_.is_stopped()) return;
  armed_ = next;
  context_.ask(WakeAt{*next});
}

bool Engine::is_settled(core::Now now) const {
  if (!feed_.is_empty()) return false;
  return std::ranges::all_of(relays_.relays(), [&](const auto& one) {
    const Relay& relay = *one.second;
    if (!links_.is_wanted(relay)) return true;
    const PeerSession* session = relay.connection();
    return session != nullptr && session->is_caught_up(now) &&
           new_work(context_.targets.of(one.first), {}, relay.memory.confirmed).empty();
  });
}

void Engine::check_books() const {
  for (const auto& [id, relay] : relays_.relays()) {
    if (const PeerSession* session = relay->connection()) session->check_books();
  }
  feed_.places().check_invariants();
}

RelayStatus Engine::status_of(const Relay& relay, core::Now now) const {
  return sync::status_of(relay, context_, now);
}

Status Engine::status(core::Now now) const {
  Status out{.roots = context_.index.root_count(),
             .dials_waiting = links_.dials_waiting(),
             .waiting = feed_.places().waiting(),
             .feed_complete = feed_.is_complete(),
             .meter = context_.meter};
  out.meter.relays_refused = feed_.places().refused();
  for (const auto& [url, id] : relays_.addresses())
    out.relays.push_back(status_of(*relays_.find(id), now));
  for (std::uint32_t id = 0; id < context_.index.size(); ++id) {
    const Repo& repo = context_.index.at(RepoId{id});
    if (!repo.level) continue;
    RepoStatus one{.address = repo.text, .level = *repo.level, .roots = repo.roots.size()};
    for (const RelayId id_of_relay : repo.relays) {
      const Relay* relay = relays_.find(id_of_relay);
      if (relay != nullptr) one.relays.push_back(relay->memory.url.text());
    }
    out.repos.push_back(std::move(one));
  }
  return out;
}

}  // namespace graspd::sync
