// How much of a peer is taken at a time, and how it is left.
#include "core/check.h"
#include "serve/sync_link.h"

namespace graspd::serve {
namespace {

// R2
constexpr std::size_t kPeerUndecidedMax = 4'096;
constexpr std::size_t kPeerUndecidedBytesMax = 8 * 1024 * 1024;

}  // namespace

bool SyncLink::must_wait() const {
  if (left_) return false;
  if (undecided_ > 0 && hall_.held.is_tight()) return true;
  return undecided_ > kPeerUndecidedMax || undecided_bytes_ > kPeerUndecidedBytesMax;
}

void SyncLink::holds(std::size_t message_bytes) {
  message_bytes_ = message_bytes;
  count_held();
}

void SyncLink::count_held() {  // R5
  if (left_) return;
  const std::size_t before = hall_.held.held_by(session_);
  hall_.held.hold(session_, message_bytes_ + undecided_bytes_);
  if (hall_.held.held_by(session_) > before) hall_.check_held();
}

void SyncLink::judged(std::size_t bytes) {
  CHECK(undecided_ > 0 && undecided_bytes_ >= bytes);
  undecided_ -= 1;
  undecided_bytes_ -= bytes;
  count_held();
  if (!must_wait()) calm_.notify();
}

void SyncLink::drop(const std::string& why) {
  at_fault_ = true;
  leave(why);
}

void SyncLink::leave(const std::string& why) {
  left_ = true;
  hall_.held.hold(session_, 0);
  why_left_ = why;
  if (socket_) socket_->close(net::CloseCode::Normal, "");
  leave_.notify();
  calm_.notify();
}

}  // namespace graspd::serve
