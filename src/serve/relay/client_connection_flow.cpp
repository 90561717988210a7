// What a client is told as it happens, and what is kept for it meanwhile.
#include <algorithm>
#include <span>
#include <utility>

#include "serve/relay/client_connection.h"

namespace graspd::serve {
namespace {

// A connection that has not more than this on its socket is not closed for what others hold.
constexpr std::size_t kHeldBytesFair = 256 * 1024;

// Who wants nothing that is stored (`limit` 0) hears of an event when it is announced or never.
bool asks_for_stored(std::span<const nostr::Filter> filters, const nostr::Event& event) {
  return std::ranges::any_of(filters, [&](const nostr::Filter& filter) {
    return filter.limit != 0 && filter.matches(event);
  });
}

}  // namespace

void ClientConnection::deliver(relay::Handle subscription, const NewEvent& news) {
  auto heard = heard_.find(subscription);
  if (heard == heard_.end()) return;
  // Stored when it was asked for, and announced only now.
  bool was_stored = news.serial != 0 && news.serial <= heard->second.up_to;
  if (was_stored && asks_for_stored(*heard->second.filters, news.event->event)) return;
  if (!backlog_.take({subscription, news.event, thread_.batches}, socket_->unsent())) {
    relay_.meters.fell_behind += 1;
    backlog_.clear();
    return step(relay::FellBehind{});
  }
  deliver_backlog();
}

void ClientConnection::deliver_backlog() {
  while (auto event = backlog_.next(socket_->unsent())) step(*std::move(event));
  if (!backlog_.empty()) watch_drain();
}

void ClientConnection::account() {
  const std::size_t held = left_ ? 0 : session_.occupied_bytes() + socket_bytes_ + asked_bytes_;
  if (held != held_bytes_) relay_.clients.hold(client_, held_bytes_, held);
  held_bytes_ = held;
}

// R5
void ClientConnection::enter() {
  if (relay_.members == nullptr) return;
  unproven_ = true;
  relay_.clients.add_unproven(client_);
  socket_->limit_messages(relay::Gate::kMessageBytesMax);
  step(relay::Entered{});
}

void ClientConnection::prove() {
  if (std::exchange(unproven_, false)) relay_.clients.remove_unproven(client_);
}

void ClientConnection::perform(relay::Opened&) {
  prove();
  if (relay_.limits.message_bytes > 0) socket_->limit_messages(relay_.limits.message_bytes);
}

void ClientConnection::perform(relay::End& action) {
  if (action.unsent == relay::End::Unsent::Dropped) return socket_->drop();
  socket_->close(net::CloseCode::Policy, std::move(action.reason));
}

void ClientConnection::leave() {
  left_ = true;
  account();
}

void ClientConnection::tick() {
  socket_bytes_ = socket_->held_bytes();
  step(relay::Tick{});
  if (socket_bytes_ < kHeldBytesFair || relay_.clients.space(client_) > 0) return;
  relay_.meters.fell_behind += 1;
  socket_->close(net::CloseCode::TryAgainLater, "your address keeps too much unread or unsent");
}

}  // namespace graspd::serve
