#include "serve/sync/sync_loop.h"

#include <algorithm>

#include "core/log.h"
#include "net/clock.h"
#include "serve/runtime/random.h"
#include "sync/record_text.h"

namespace graspd::serve {
namespace {

constexpr core::Duration kFarewellMax{2'000};

// Its state is another after a while, even if nothing happens: the last batch window passes.
bool changes_by_itself(const sync::RelayStatus& relay) {
  return relay.link == sync::LinkState::Syncing || relay.link == sync::LinkState::Connecting;
}

}  // namespace

SyncLoop::SyncLoop(SyncServiceOptions options, const nostr::Keypair& identity,
                   store::EventStore& store, SyncSources sources, RelayServer& relay,
                   net::Server& server)
    : options_(std::move(options)),
      identity_(identity),
      store_(store),
      sources_(std::move(sources)),
      relay_(relay),
      server_(server),
      thread_(server.threads() - 1),
      feed_(sources_.changed_listings, store, options_.engine.peers),
      inventory_(store, sources_.acceptance),
      intake_({relay.ingest(), store, sources_.acceptance,
               [this](std::function<void()> work) { server_.post(thread_, std::move(work)); },
               [this](const Ticket& ticket, nostr::Outcome outcome) { judged(ticket, outcome); }}),
      engine_(options_.engine, core::Rng(random_seed())),
      alarm_([this] { tell(sync::Alarm{}); }),
      refresh_([this] { refresh(); }),
      dialer_(net::make_dialer(options_.dialer)),
      held_(options_.held_bytes_max),
      context_{server_,    thread_,
               workers_,   intake_,
               inventory_, identity_,
               reader_,    [this](sync::Input input) { tell(std::move(input)); },
               held_,      [this] { check_held(); }},
      view_(std::make_shared<const SyncReport>()) {}

void SyncLoop::post(std::function<void(SyncLoop&)> work) {
  server_.post(thread_, [weak = weak_from_this(), work = std::move(work)] {
    if (const auto self = weak.lock()) work(*self);
  });
}

void SyncLoop::open() {
  const auto listener = std::make_shared<const RelayServer::Listener>(
      [weak = weak_from_this()](std::shared_ptr<const CommitReport> report) {
        if (const auto self = weak.lock())
          self->post([report](SyncLoop& loop) { loop.committed(*report); });
      });
  relay_.set_listener(listener);
  sources_.on_wanted_again([weak = weak_from_this()](const nostr::RelayUrl& url, const auto& ids) {
    const auto self = weak.lock();
    if (!self) return;
    sync::WantedAgain wanted{url, ids};
    self->post([wanted = std::move(wanted)](SyncLoop& loop) { loop.tell(wanted); });
  });
  post([](SyncLoop& loop) { loop.begin(); });
}

void SyncLoop::begin() {
  spawn("sync alarm", alarm_.run());
  spawn("sync refresh", refresh_.run());
  restore();
  read_history();
}

class SyncLoop::Attendance {
 public:
  explicit Attendance(SyncLoop& loop) : loop_(loop) {
    std::lock_guard lock(loop_.mutex_);
    ++loop_.tasks_;
  }
  Attendance(const Attendance&) = delete;
  Attendance& operator=(const Attendance&) = delete;
  ~Attendance() {
    std::lock_guard lock(loop_.mutex_);
    --loop_.tasks_;
    loop_.all_ended_.notify_all();
  }

 private:
  SyncLoop& loop_;
};

void SyncLoop::spawn(const char* name, net::Task<void> task) {
  server_.spawn(thread_, name, attended(shared_from_this(), std::move(task)));
}

net::Task<void> SyncLoop::attended(std::shared_ptr<SyncLoop> self, net::Task<void> task) {
  const Attendance attendance(*self);
  co_await std::move(task);
}

void SyncLoop::restore() {
  sync::Restored restored;
  const auto snapshot = store_.snapshot();
  if (snapshot) {
    const auto read = (*snapshot)->notes(kNotePrefix, [&](std::string_view, std::string_view text) {
      if (auto record = sync::parse_record(text)) restored.relays.push_back(*std::move(record));
    });
    if (!read)
      core::log::error("sync: cannot read the saved state of relays: {}",
                       store::describe(read.error()));
  }
  tell(std::move(restored));
}

void SyncLoop::read_history() {
  workers_.post([weak = weak_from_this(), feed = feed_] {
    auto history = std::make_shared<SyncFeed::History>(feed.threads(net::now().unix_seconds));
    const auto self = weak.lock();
    if (!self) return;
    self->post([history](SyncLoop& loop) {
      const auto tell = [&loop](sync::Input input) { loop.tell(std::move(input)); };
      loop.feed_.repositories(tell);
      for (sync::Input& root : history->roots) tell(std::move(root));
      tell(sync::FeedHistoryEnded{});
      for (sync::Input& touch : history->touches) tell(std::move(touch));
    });
  });
}

void SyncLoop::committed(const CommitReport& report) {
  if (closing_) return;
  for (const Decision& decision : report.decisions) {
    if (decision.submitter.thread == SyncIntake::kThread) intake_.decided(decision);
  }
  const auto tell_it = [this](sync::Input input) { tell(std::move(input)); };
  feed_.repositories(tell_it);
  for (const NewEvent& news : report.news) feed_.news(news, tell_it);
}

void SyncLoop::judged(const Ticket& ticket, nostr::Outcome outcome) {
  with_link(ticket.relay, ticket.session, [&](PeerLink& link) { link.judged(ticket.bytes); });
  tell(sync::EventJudged{ticket.relay, ticket.session, ticket.sub, ticket.id, ticket.created_at,
                         outcome});
}

// What is told while the engine steps comes after what it asked for.
void SyncLoop::tell(sync::Input input) {
  if (closing_) return;
  inputs_.push_back(std::move(input));
  if (stepping_) return;
  stepping_ = true;
  const auto self = shared_from_this();
  while (!inputs_.empty()) {
    const sync::Input next = std::move(inputs_.front());
    inputs_.pop_front();
    for (const sync::Action& action : engine_.step(net::now(), next))
      std::visit([this](const auto& what) { perform(what); }, action);
  }
  stepping_ = false;
  refresh_soon();
}

void SyncLoop::refresh() {
  refresh_is_set_ = false;
  write_records();
  auto report = std::make_shared<SyncReport>();
  report->status = engine_.status(net::now());
  report->taken_at = net::now().unix_seconds;
  for (const sync::RelayStatus& relay : report->status.relays) {
    SyncTraffic traffic = traffic_[relay.url];
    const auto link = links_.find(relay.id);
    if (link != links_.end()) add(traffic, *link->second);
    report->traffic.emplace(relay.url, traffic);
  }
  const auto is_gone = [&](const auto& one) { return !report->traffic.contains(one.first); };
  std::erase_if(traffic_, is_gone);
  std::erase_if(rates_, is_gone);
  const auto& relays = report->status.relays;
  if (std::any_of(relays.begin(), relays.end(), changes_by_itself)) refresh_soon();
  std::lock_guard lock(mutex_);
  view_ = std::move(report);
}

void SyncLoop::refresh_soon() {
  if (refresh_is_set_) return;
  refresh_is_set_ = true;
  refresh_.set(net::now().instant + options_.status_interval);
}

void SyncLoop::write_records() {
  if (records_.empty()) return;
  Admission admission;
  for (auto& [key, note] : std::exchange(records_, {})) admission.changes.push_back(note);
  relay_.ingest().admit(std::move(admission));
}

void SyncLoop::farewell() {
  tell(sync::StopWanted{});
  write_records();
  closing_ = true;
  for (const auto& [relay, link] : std::map(links_)) link->leave("shutting down");
  alarm_.stop();
  refresh_.stop();
}

void SyncLoop::close() {
  relay_.set_listener(nullptr);
  sources_.on_wanted_again({});
  post([](SyncLoop& loop) { loop.farewell(); });
  std::unique_lock lock(mutex_);
  const bool all = all_ended_.wait_for(lock, kFarewellMax, [this] { return tasks_ == 0; });
  lock.unlock();
  if (!all) core::log::warn("sync: some peers did not close their connection in time");
  workers_.stop();
}

}  // namespace graspd::serve
