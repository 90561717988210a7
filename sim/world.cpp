#include "sim/world.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/check.h"
#include "sim/trace.h"

namespace graspd::sim {
namespace {

constexpr core::Duration kUntruthEvery = 3min;

}  // namespace

World::World(std::uint64_t seed, sync::Options options)
    : rng_(seed),
      seed_(seed),
      options_(std::move(options)),
      intake_([this](sync::Input input) { backlog_.push_back(std::move(input)); }) {
  options_.own_urls = {url(kOurUrl)};
  engine_ = std::make_unique<sync::Engine>(options_, core::Rng(seed ^ 0xabcdef));
}

core::Now World::now() const { return {now_, kWorldBegins + now_.time_since_epoch() / 1s}; }

Peer& World::add_peer(const nostr::RelayUrl& where, Habits habits) {
  auto made = std::make_unique<Peer>(std::move(habits), core::Rng(rng_.next()));
  return *(peers_[where] = std::move(made));
}

void World::at(core::Duration after, std::function<void()> what) {
  queue_.emplace(std::pair{now_ + after, sequence_++}, Entry{std::move(what)});
}

void World::say(char mark, const std::string& text) const {
  tell(fmt::format("{:.3f} {} {}", static_cast<double>(now_.time_since_epoch() / 1ms) / 1000, mark,
                   text));
}

// The first inputs of the variant are the feed of our own relay.
void World::note(const sync::Input& input) {
  if (input.index() <= sync::Input(sync::FeedHistoryEnded{}).index()) fed_at_ = now_;
  if (tell) say('>', in_words(input));
}

void World::feed(const sync::Input& input) {
  backlog_.push_back(input);
  if (is_feeding_) return;
  is_feeding_ = true;
  while (!backlog_.empty()) {
    const std::vector<sync::Input> inputs = std::exchange(backlog_, {});
    for (const sync::Input& one : inputs) {
      ++steps_;
      trace_ = (trace_ ^ (one.index() * 31 + now_.time_since_epoch().count())) * 1099511628211ULL;
      note(one);
      for (const sync::Action& action : engine_->step(now(), one)) {
        if (tell) say('<', in_words(action));
        trace_ = (trace_ ^ action.index()) * 1099511628211ULL;
        std::visit([&](const auto& a) { perform(a); }, action);
      }
      engine_->check_invariants();
    }
  }
  is_feeding_ = false;
  if (now_ - untruth_asked_ < kUntruthEvery || !first_untruth.empty()) return;
  untruth_asked_ = now_;
  engine_->check_books();
  first_untruth = untruth();
}

void World::start() {
  sync::Restored restored;
  for (const auto& [where, record] : saved) restored.relays.push_back(record);
  backlog_.clear();
  feed(restored);
  intake_.replay();
  feed(sync::FeedHistoryEnded{});
}

void World::restart() {
  if (tell) say('=', "restart");
  ++life_;
  for (auto& [where, peer] : peers_) peer->disconnected();
  urls_.clear();
  open_.clear();
  alarm_.reset();
  engine_ = std::make_unique<sync::Engine>(options_, core::Rng(seed_ ^ life_));
  start();
}

void World::publish(const nostr::RelayUrl& where, const nostr::Event& event) {
  if (tell) say('=', where.text() + " gets " + in_words(event));
  Peer& relay = peer(where);
  relay.published.emplace(event.id, unix_now());
  auto deliveries = relay.publish(event);
  if (relay.session()) deliver(relay, *relay.session(), std::move(deliveries));
}

void World::accept(const nostr::Event& event) {
  if (tell) say('=', "we get " + in_words(event));
  intake_.judge(event);
  for (const sync::Input& input : std::exchange(backlog_, {})) feed(input);
}

void World::close_subscriptions(const nostr::RelayUrl& where, const std::string& why) {
  Peer& relay = peer(where);
  if (relay.session()) deliver(relay, *relay.session(), relay.close_all(why));
}

void World::hold_back(const nostr::RelayUrl& where, core::Duration span) {
  const sync::Relay* relay = engine_->find(where);
  if (relay == nullptr || relay->connection() == nullptr) return;
  const auto id = relay->memory.id;
  const sync::Session session = relay->connection()->session();
  if (!unread_.try_emplace(session).second) return;
  feed(sync::ReadingPaused{id, session, true});
  at(span, [this, id, session, life = life_] {
    const Deliveries unread = std::move(unread_.extract(session).mapped());
    if (life != life_) return;
    feed(sync::ReadingResumed{id, session});
    const Peer* peer = peer_of(id);
    for (const Delivery& one : unread) {
      if (peer->session() == session) arrive(one);  // what was not read is lost with its connection
    }
  });
}

void World::heal() {
  if (tell) say('=', "the network heals");
  resolver_fails = false;
  for (auto& [where, relay] : peers_) relay->healed = true;
}

void World::run(core::Duration span) {
  const core::Instant end = now_ + span;
  while (!queue_.empty() && queue_.begin()->first.first <= end) {
    auto node = queue_.extract(queue_.begin());
    now_ = node.key().first;
    node.mapped().what();
  }
  now_ = end;
}

bool World::run_until(const std::function<bool()>& holds, core::Duration limit) {
  const core::Instant end = now_ + limit;
  core::Duration stride = 1s;
  while (!holds()) {
    if (now_ >= end) return false;
    run(std::min<core::Duration>(stride, end - now_));
    stride = std::min<core::Duration>(stride * 2, 10min);
  }
  return true;
}

std::vector<core::Instant> World::dials_of(const nostr::RelayUrl& where) const {
  const auto at = dials_.find(where);
  return at == dials_.end() ? std::vector<core::Instant>{} : at->second;
}

sync::RelayStatus World::status(const nostr::RelayUrl& where) const {
  const sync::Relay* relay = engine_->find(where);
  CHECK(relay != nullptr);
  return engine_->status_of(*relay, now());
}

Peer* World::peer_of(sync::RelayId relay) {
  const auto where = urls_.find(relay);
  if (where == urls_.end()) return nullptr;
  const auto at = peers_.find(where->second);
  return at == peers_.end() ? nullptr : at->second.get();
}

void World::feed_in_session(Peer& relay, sync::Session session, const sync::Input& input) {
  if (relay.session() == session) feed(input);
}

void World::perform(const sync::ReadInformation& a) {
  urls_.insert_or_assign(a.relay, a.url);
  ++informations_read;
  Peer* relay = peer_of(a.relay);
  sync::InformationRead read{a.relay, a.session, {}};
  const bool reachable = relay != nullptr && (relay->healed || !relay->habits.down);
  if (reachable && !resolver_fails) read.information = relay->habits.information;
  at(30ms, [this, read, life = life_] {
    if (life == life_) feed(read);
  });
}

void World::perform(const sync::Dial& a) {
  dials_[a.url].push_back(now_);
  Peer* relay = peer_of(a.relay);
  if (relay != nullptr) CHECK(!relay->is_connected());
  const bool works = relay != nullptr && !resolver_fails && relay->accepts_dial();
  const auto problem = resolver_fails ? sync::DialProblem::Name : sync::DialProblem::Network;
  at(40ms, [this, a, relay, works, problem, life = life_] {
    if (life != life_) return;
    if (!works) return feed(sync::DialFailed{a.relay, a.session, problem, "unreachable", {}});
    relay->connected(a.relay, a.session);
    feed(sync::Connected{a.relay, a.session});
  });
}

void World::drop(Peer& relay, core::Duration after) {
  const auto session = relay.session();
  at(after, [this, &relay, session, life = life_] {
    if (life != life_ || !session || relay.session() != session) return;
    sync::RelayId id{};
    for (const auto& [one, where] : urls_) {
      if (peers_.contains(where) && peers_.at(where).get() == &relay) id = one;
    }
    relay.disconnected();
    feed(sync::Disconnected{id, *session, "connection reset"});
  });
}

void World::cut(const nostr::RelayUrl& where) { drop(peer(where), 0ms); }

void World::perform(const sync::HangUp& a) {
  Peer* relay = peer_of(a.relay);
  if (relay != nullptr && relay->session() == a.session) relay->disconnected();
  at(1ms, [this, a, life = life_] {
    if (life == life_) feed(sync::Disconnected{a.relay, a.session, "hung up"});
  });
}

void World::deliver(Peer& relay, sync::Session session, Deliveries deliveries) {
  core::Duration last = 0ms;
  for (Delivery& one : deliveries) {
    last = std::max(last, one.after);
    at(one.after, [this, &relay, session, one = std::move(one), life = life_] {
      if (life != life_ || relay.session() != session) return;
      const auto unread = unread_.find(session);
      if (unread != unread_.end()) return unread->second.push_back(one);
      arrive(one);
    });
  }
  if (relay.wants_cut) drop(relay, last + 1ms);
}

void World::arrive(const Delivery& delivery) {
  const auto* arrived = std::get_if<sync::EventArrived>(&delivery.input);
  if (arrived == nullptr) return feed(delivery.input);
  sync::EventArrived head = *arrived;
  const auto filters = open_.find(head.sub);
  if (filters == open_.end()) return feed(sync::Heard{head.relay, head.session});
  const nostr::Event& event = *delivery.body;
  head.matched = sync::matching_filters(*filters->second, event);
  if (head.matched == 0) return feed(head);
  if (intake_.knows(event.id)) {
    head.outcome = nostr::Outcome::Known;
    return feed(head);
  }
  feed(head);
  at(core::Duration(rng_.below(20)), [this, head, delivery, life = life_] {
    if (life != life_) return;
    const auto outcome = delivery.forged ? nostr::Outcome::Forged
                         : store_fails   ? nostr::Outcome::Failed
                                         : intake_.judge(*delivery.body);
    feed(sync::EventJudged{head.relay, head.session, head.sub, head.id, head.created_at, outcome});
  });
}

void World::perform(const sync::Subscribe& a) {
  open_[a.sub] = a.filters;
  Peer* relay = peer_of(a.relay);
  if (relay->session() == a.session) deliver(*relay, a.session, relay->request(now_, a));
}

void World::perform(const sync::Unsubscribe& a) {
  open_.erase(a.sub);
  Peer* relay = peer_of(a.relay);
  if (relay->session() == a.session) relay->close(a.sub);
}

void World::perform(const sync::NegOpen& a) {
  Peer* relay = peer_of(a.relay);
  if (relay->session() != a.session) return;
  deliver(*relay, a.session, relay->reconcile(now_, a, intake_.known()));
}

void World::perform(const sync::NegContinue& a) {
  Peer* relay = peer_of(a.relay);
  if (relay->session() == a.session) deliver(*relay, a.session, relay->reconcile_on(now_, a));
}

void World::perform(const sync::NegClose& a) {
  Peer* relay = peer_of(a.relay);
  if (relay->session() == a.session) relay->close_reconciliation(a.sub);
}

void World::perform(const sync::Authenticate& a) {
  Peer* relay = peer_of(a.relay);
  if (relay->session() != a.session) return;
  deliver(*relay, a.session, relay->authenticate(a));
}

void World::perform(const sync::LookUp& a) {
  sync::LookedUp found{a.relay, a.session, {}};
  for (const nostr::EventId& id : a.ids) {
    if (intake_.knows(id)) found.known.push_back(id);
  }
  at(1ms, [this, found, life = life_] {
    if (life == life_) feed(found);
  });
}

void World::perform(const sync::Save& a) { saved.insert_or_assign(a.record.url, a.record); }
void World::perform(const sync::Forget& a) { saved.erase(a.url); }
void World::perform(const sync::Log& a) { logs.push_back(a.text); }

void World::perform(const sync::WakeAt& a) {
  const std::uint64_t number = ++alarms_;
  alarm_ = number;
  at(std::max(core::Duration(0), a.at - now_), [this, number, life = life_] {
    if (life == life_ && alarm_ == number) feed(sync::Alarm{});
  });
}

}  // namespace graspd::sim
