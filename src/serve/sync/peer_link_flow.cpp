// How much of a peer is taken at a time, and how it is left.
#include "core/check.h"
#include "net/clock.h"
#include "net/later.h"
#include "serve/sync/peer_link.h"

namespace graspd::serve {
namespace {

// R2
constexpr std::size_t kPeerUndecidedMax = 4'096;
constexpr std::size_t kPeerUndecidedBytesMax = 8 * 1024 * 1024;

}  // namespace

// R2. Who was held back goes on at half of it, not with every event that is decided.
bool PeerLink::must_wait() const {
  if (left_) return false;
  if (undecided_ > 0 && context_.held.is_tight()) return true;
  const std::size_t share = held_back_ ? 2 : 1;
  return undecided_ > kPeerUndecidedMax / share ||
         undecided_bytes_ > kPeerUndecidedBytesMax / share;
}

net::Task<void> PeerLink::hold_back(std::shared_ptr<PeerLink> self) {
  const core::Instant begin = net::now().instant;
  const bool over_budget = self->rate_->ready_at(begin) > begin;  // R6
  if (self->left_ || (!over_budget && !self->must_wait())) co_return;
  self->held_back_ = true;
  self->context_.tell(sync::ReadingPaused{self->relay_, self->session_, over_budget});
  while (!self->left_) {
    const core::Instant now = net::now().instant;
    const core::Instant ready = self->rate_->ready_at(now);
    if (self->must_wait()) {
      co_await self->calm_.wait();
    } else if (ready > now) {
      auto waiting = net::pause(ready - now);
      auto leaving = until_left(self);
      co_await net::first(std::move(waiting), std::move(leaving));
    } else {
      break;
    }
  }
  self->held_back_ = false;
  self->context_.tell(sync::ReadingResumed{self->relay_, self->session_});
}

void PeerLink::holds(std::size_t message_bytes) {
  message_bytes_ = message_bytes;
  count_held();
}

void PeerLink::count_held() {  // R5
  if (left_) return;
  const std::size_t before = context_.held.held_by(session_);
  context_.held.hold(session_, message_bytes_ + undecided_bytes_);
  if (context_.held.held_by(session_) > before) context_.check_held();
}

void PeerLink::judged(std::size_t bytes) {
  CHECK(undecided_ > 0 && undecided_bytes_ >= bytes);
  undecided_ -= 1;
  undecided_bytes_ -= bytes;
  count_held();
  if (!must_wait()) calm_.notify();
}

void PeerLink::drop(const std::string& why) {
  at_fault_ = true;
  leave(why);
}

void PeerLink::leave(const std::string& why) {
  left_ = true;
  context_.held.hold(session_, 0);
  why_left_ = why;
  if (socket_) socket_->close(net::CloseCode::Normal, "");
  leave_.notify();
  calm_.notify();
}

}  // namespace graspd::serve
