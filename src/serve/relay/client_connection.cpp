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

}  // namespace

// Some messages for the client, one after the other.
struct Connection::Slice {
  std::string text;
  std::vector<std::size_t> ends;
  std::optional<store::StoreError> error;
  bool finished = false;
};

Connection::Connection(Floor& floor, Desk& desk, std::uint64_t id,
                       std::shared_ptr<net::WebSocket> socket, core::IpAddress client)
    : floor_(floor),
      desk_(desk),
      id_(id),
      socket_(std::move(socket)),
      client_(client),
      session_(floor.limits, floor.self, random_hex(16), net::now(), floor.owner),
      backlog_(floor.limits.outbound_bytes) {}

Connection::~Connection() {
  for (const auto& [handle, heard] : heard_) desk_.subscriptions.remove({id_, handle});
  call_off_everything();
  floor_.meters.subscriptions -= heard_.size();
}

net::Task<void> Connection::run(std::shared_ptr<Connection> self) {
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

bool Connection::must_wait() const {
  if (gone_) return false;
  return undecided_ > kUndecidedMax || undecided_bytes_ > kUndecidedBytesMax ||
         asked_bytes_ > kAskedBytesMax || socket_->unsent() > kUnreadAnswersMax;
}

void Connection::hear(const net::Message& message) {
  Meters& meters = floor_.meters;
  if (message.binary) {
    meters.heard.back() += 1;
    return step(relay::SaidBinary{});
  }
  auto parsed = desk_.reader.client_message(message.text, floor_.limits.filters_per_request);
  if (!parsed) {
    meters.heard.back() += 1;
    return step(relay::SaidNonsense{std::move(parsed).error()});
  }
  meters.heard[parsed->index()] += 1;
  relay::Said said{*std::move(parsed), message.text.size()};
  if (auto* publish = std::get_if<nostr::client::Publish>(&said.message)) {
    meters.received[kind_label(publish->event.kind)] += 1;
    said.address_over_event_rate = !floor_.clients.take_event(client_, net::now().instant);
  } else {
    said.room = floor_.clients.room(client_);
  }
  step(std::move(said));
}

void Connection::step(relay::Input input) {
  for (relay::Action& action : session_.step(net::now(), std::move(input)))
    std::visit([this](auto& what) { perform(what); }, action);
  account();
}

void Connection::perform(relay::Send& action) {
  floor_.meters.sent[Meters::sent_label(action.text)] += 1;
  socket_->write(action.text);
}

void Connection::perform(relay::Submit& action) {
  if (!floor_.ingest.reserve(action.bytes))
    return step(relay::Decided{action.event.id, false,
                               "rate-limited: the server is busy, try again later"});
  undecided_ += 1;
  undecided_bytes_ += action.bytes;
  if (desk_.outbox.empty())
    floor_.server.post(desk_.thread,
                       [&floor = floor_, &desk = desk_] { hand_over(floor, desk, 0); });
  desk_.outbox.push_back({std::move(action.event),
                          action.bytes,
                          {relay::Source::Door::Client, client_},
                          {desk_.thread, id_}});
}

// While every turn of the loop brings more, they travel together; a lone event waits one turn.
void Connection::hand_over(Floor& floor, Desk& desk, std::size_t seen) {
  std::size_t now = desk.outbox.size();
  if (now > seen && now < kHandOverMax)
    return floor.server.post(desk.thread, [&floor, &desk, now] { hand_over(floor, desk, now); });
  floor.ingest.submit(std::exchange(desk.outbox, {}));
}

void Connection::decided(Decision decision) {
  CHECK(undecided_ > 0 && undecided_bytes_ >= decision.bytes);
  undecided_ -= 1;
  undecided_bytes_ -= decision.bytes;
  step(relay::Decided{decision.id, decision.accepted, std::move(decision.text)});
  calm_.notify();  // run() looks again, also at what is unsent now
}

void Connection::perform(relay::Listen& action) {
  heard_[action.subscription] = {floor_.store.newest(), action.filters};
  desk_.subscriptions.add({id_, action.subscription}, action.filters);
  floor_.meters.subscriptions += 1;
}

void Connection::perform(relay::Unlisten& action) {
  heard_.erase(action.subscription);
  desk_.subscriptions.remove({id_, action.subscription});
  floor_.meters.subscriptions -= 1;
}

void Connection::on_worker(Workers& workers, std::size_t bytes, std::function<Then()> work) {
  asked_bytes_ += bytes;
  workers.post(asker_, [work = std::move(work), weak = weak_from_this(), thread = desk_.thread,
                        bytes, &server = floor_.server] {
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

void Connection::perform(relay::Read& action) {
  floor_.meters.queries += 1;
  auto reading =
      std::make_shared<Reading>(action.subscription, std::move(action.name),
                                store::Cursor(*action.filters, heard_.at(action.subscription).up_to,
                                              std::move(action.quotas)));
  readings_[action.subscription] = reading;
  read_slice(std::move(reading));
}

void Connection::read_slice(std::shared_ptr<Reading> reading) {
  floor_.meters.query_slices += 1;
  Workers& workers = is_quick(reading->cursor.filters) ? floor_.quick_workers : floor_.workers;
  const std::size_t bytes = reading->bytes;
  on_worker(workers, bytes, [reading = std::move(reading), &store = floor_.store]() -> Then {
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
    return [reading, slice](Connection& self) { self.take_slice(reading, std::move(*slice)); };
  });
}

void Connection::take_slice(std::shared_ptr<Reading> reading, Slice slice) {
  if (reading->cancelled) return;
  std::size_t begin = 0;
  for (std::size_t end : slice.ends) {
    socket_->write(std::string_view(slice.text).substr(begin, end - begin));
    begin = end;
  }
  floor_.meters.sent[Meters::kSentEvent] += slice.ends.size();
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

void Connection::watch_drain() {
  bool worth_it = !paused_.empty() || !backlog_.empty() || socket_->unsent() > kUnreadAnswersMax;
  if (draining_ || !worth_it) return;
  draining_ = true;
  floor_.server.spawn(desk_.thread, "drain", drain(shared_from_this()));
}

net::Task<void> Connection::drain(std::shared_ptr<Connection> self) {
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
