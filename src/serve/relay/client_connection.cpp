#include "serve/relay/client_connection.h"

#include "core/check.h"
#include "net/clock.h"
#include "serve/relay/lookups.h"
#include "serve/runtime/random.h"

namespace graspd::serve {
namespace {

// A client may have this much on the way to its decisions before its socket is left alone (R2).
constexpr std::size_t kUndecidedMax = 2'048;
constexpr std::size_t kUndecidedBytesMax = 4 * 1024 * 1024;
// Events that go to the verifiers together.
constexpr std::size_t kHandOverMax = 256;
// Stored events are read ahead of the socket by this much (R3).
constexpr std::size_t kReadAheadBytes = 512 * 1024;
// An unread answer beyond this stops reading from its client (R2).
constexpr std::size_t kUnreadAnswersMax = 4 * 1024 * 1024;
static_assert(kReadAheadBytes < kUnreadAnswersMax);
static_assert(kReadAheadBytes <= relay::Backlog::kPortionBytes);
// Filters and messages with the workers beyond this do so too: a query that was called off stays
// with them until its turn comes.
constexpr std::size_t kAskedBytesMax = 8 * 1024 * 1024;

nostr::Completeness completeness(const store::Cursor& cursor) {
  if (cursor.more) return nostr::Completeness::More;
  return cursor.unsure ? nostr::Completeness::Unknown : nostr::Completeness::Finished;
}

relay::IsMember members_asked(const Members* members) {
  if (members == nullptr) return {};
  return [members](const nostr::PublicKey& key) { return members->contains(key); };
}

}  // namespace

// Some messages for the client, one after the other.
struct ClientConnection::Slice {
  std::string text;
  std::vector<std::size_t> ends;
  std::optional<store::StoreError> error;
  bool finished = false;
};

ClientConnection::ClientConnection(RelayContext& relay, ThreadContext& thread, std::uint64_t id,
                                   std::shared_ptr<net::WebSocket> socket, core::IpAddress client)
    : relay_(relay),
      thread_(thread),
      id_(id),
      socket_(std::move(socket)),
      client_(client),
      session_(relay.limits, relay.self, random_hex(16), net::now(), relay.owner,
               members_asked(relay.members)),
      backlog_(relay.limits.outbound_bytes) {}

ClientConnection::~ClientConnection() {
  prove();
  for (const auto& [handle, heard] : heard_) thread_.subscriptions.remove({id_, handle});
  call_off_everything();
  relay_.meters.subscriptions -= heard_.size();
}

net::Task<void> ClientConnection::run(std::shared_ptr<ClientConnection> self) {
  self->enter();
  while (true) {
    auto message = co_await self->socket_->read();
    if (!message) co_return self->leave();
    self->hear(*message);
    while (self->must_wait()) {
      self->watch_drain();
      if (self->must_wait()) co_await self->calm_.wait();
    }
  }
}

bool ClientConnection::must_wait() const {
  if (gone_) return false;
  return undecided_ > kUndecidedMax || undecided_bytes_ > kUndecidedBytesMax ||
         asked_bytes_ > kAskedBytesMax || socket_->unsent() > kUnreadAnswersMax;
}

void ClientConnection::hear(const net::Message& message) {
  Meters& meters = relay_.meters;
  if (message.binary) {
    meters.heard.back() += 1;
    return step(relay::SaidBinary{});
  }
  auto parsed = thread_.reader.client_message(message.text, relay_.limits.filters_per_request);
  if (!parsed) {
    meters.heard.back() += 1;
    return step(relay::SaidNonsense{std::move(parsed).error()});
  }
  meters.heard[parsed->index()] += 1;
  relay::Said said{*std::move(parsed), message.text.size()};
  if (auto* publish = std::get_if<nostr::client::Publish>(&said.message)) {
    meters.received[kind_label(publish->event.kind)] += 1;
    said.address_over_event_rate = !relay_.clients.take_event(client_, net::now().instant);
  } else {
    said.space = relay_.clients.space(client_);
  }
  step(std::move(said));
}

void ClientConnection::step(relay::Input input) {
  for (relay::Action& action : session_.step(net::now(), std::move(input)))
    std::visit([this](auto& what) { perform(what); }, action);
  account();
}

void ClientConnection::perform(relay::Send& action) {
  relay_.meters.sent[Meters::sent_label(action.text)] += 1;
  socket_->write(action.text);
}

void ClientConnection::perform(relay::Submit& action) {
  if (!relay_.ingest.reserve(action.bytes))
    return step(relay::Decided{action.event.id, false,
                               "rate-limited: the server is busy, try again later"});
  undecided_ += 1;
  undecided_bytes_ += action.bytes;
  if (thread_.outbox.empty())
    relay_.server.post(thread_.index,
                       [&relay = relay_, &thread = thread_] { hand_over(relay, thread, 0); });
  thread_.outbox.push_back({std::move(action.event),
                            action.bytes,
                            {relay::Source::Intake::Client, client_},
                            {thread_.index, id_}});
}

// While every turn of the loop brings more, they travel together; a lone event waits one turn.
void ClientConnection::hand_over(RelayContext& relay, ThreadContext& thread, std::size_t seen) {
  std::size_t now = thread.outbox.size();
  if (now > seen && now < kHandOverMax)
    return relay.server.post(thread.index,
                             [&relay, &thread, now] { hand_over(relay, thread, now); });
  relay.ingest.submit(std::exchange(thread.outbox, {}));
}

void ClientConnection::decided(Decision decision) {
  CHECK(undecided_ > 0 && undecided_bytes_ >= decision.bytes);
  undecided_ -= 1;
  undecided_bytes_ -= decision.bytes;
  step(relay::Decided{decision.id, decision.accepted, std::move(decision.text)});
  calm_.notify();  // run() looks again, also at what is unsent now
}

void ClientConnection::perform(relay::Listen& action) {
  heard_[action.subscription] = {relay_.store.newest(), action.filters};
  thread_.subscriptions.add({id_, action.subscription}, action.filters);
  relay_.meters.subscriptions += 1;
}

void ClientConnection::perform(relay::Unlisten& action) {
  heard_.erase(action.subscription);
  thread_.subscriptions.remove({id_, action.subscription});
  relay_.meters.subscriptions -= 1;
}

void ClientConnection::on_worker(Workers& workers, std::size_t bytes, std::function<Then()> work) {
  asked_bytes_ += bytes;
  workers.post(asker_, [work = std::move(work), weak = weak_from_this(), thread = thread_.index,
                        bytes, &server = relay_.server] {
    if (weak.expired()) return Turn::Over;  // nobody waits for it any more
    Then then = work();
    if (!then) return Turn::Again;
    server.post(thread, [weak, then = std::move(then), bytes] {
      auto self = weak.lock();
      if (!self) return;
      self->asked_bytes_ -= bytes;
      then(*self);
      self->calm_.notify();
    });
    return Turn::Over;
  });
}

void ClientConnection::perform(relay::Read& action) {
  relay_.meters.queries += 1;
  auto reading =
      std::make_shared<Reading>(action.subscription, std::move(action.name),
                                store::Cursor(*action.filters, heard_.at(action.subscription).up_to,
                                              std::move(action.quotas)));
  readings_[action.subscription] = reading;
  read_slice(std::move(reading));
}

void ClientConnection::read_slice(std::shared_ptr<Reading> reading) {
  relay_.meters.query_slices += 1;
  Workers& workers = is_quick(reading->cursor.filters) ? relay_.quick_workers : relay_.workers;
  const std::size_t bytes = reading->bytes;
  on_worker(workers, bytes, [reading = std::move(reading), &store = relay_.store]() -> Then {
    auto slice = std::make_shared<Slice>();
    if (!reading->cancelled) {
      auto snapshot = store.snapshot();
      auto show = [&](const store::Found& found) {
        nostr::relay_says::append_event(slice->text, reading->name, found.json);
        slice->ends.push_back(slice->text.size());
      };
      auto state = snapshot
                       ? (*snapshot)->read(reading->cursor, kSlice, net::now().unix_seconds, show)
                       : core::Failure{snapshot.error()};
      if (!state)
        slice->error = state.error();
      else
        slice->finished = *state == store::ReadState::Finished;
    }
    return
        [reading, slice](ClientConnection& self) { self.take_slice(reading, std::move(*slice)); };
  });
}

void ClientConnection::take_slice(std::shared_ptr<Reading> reading, Slice slice) {
  if (reading->cancelled) return;
  std::size_t begin = 0;
  for (std::size_t end : slice.ends) {
    socket_->write(std::string_view(slice.text).substr(begin, end - begin));
    begin = end;
  }
  relay_.meters.sent[Meters::kSentEvent] += slice.ends.size();
  if (slice.error || slice.finished) {
    readings_.erase(reading->handle);
    if (slice.error)
      return step(relay::QueryFailed{reading->handle,
                                     "error: " + std::string(store::describe(*slice.error))});
    return step(relay::ReadEnded{reading->handle, completeness(reading->cursor)});
  }
  if (socket_->unsent() <= kReadAheadBytes) return read_slice(std::move(reading));
  paused_.push_back(std::move(reading));
  watch_drain();
}

void ClientConnection::watch_drain() {
  bool worth_it = !paused_.empty() || !backlog_.empty() || socket_->unsent() > kUnreadAnswersMax;
  if (draining_ || !worth_it) return;
  draining_ = true;
  relay_.server.spawn(thread_.index, "drain", drain(shared_from_this()));
}

net::Task<void> ClientConnection::drain(std::shared_ptr<ClientConnection> self) {
  bool alive = co_await self->socket_->drained_to(kReadAheadBytes);
  self->draining_ = false;
  auto paused = std::exchange(self->paused_, {});
  self->gone_ = !alive;
  if (self->gone_) co_return self->calm_.notify();
  for (auto& reading : paused) self->read_slice(std::move(reading));
  self->deliver_backlog();
  if (!self->must_wait()) self->calm_.notify();
}

}  // namespace graspd::serve
