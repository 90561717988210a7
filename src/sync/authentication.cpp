#include "sync/authentication.h"

#include <algorithm>
#include <utility>

namespace graspd::sync {

void Authentication::ask(core::Now now) {
  if (state_ != State::Unasked) return;
  state_ = State::Asked;
  asked_at_ = now.instant;
  peer_.engine.ask(Authenticate{peer_.memory.id, peer_.session});
}

bool Authentication::answered(bool accepted) {
  const State before = std::exchange(state_, accepted ? State::Accepted : State::Refused);
  return accepted && before == State::Refused;
}

bool Authentication::helps(core::Now now, bool was_known) {
  if (state_ == State::Refused || was_known) return false;
  ask(now);
  return true;
}

void Authentication::tick(core::Now now) {
  const auto at = due();
  if (at && *at <= now.instant) state_ = State::Refused;  // no challenge came, or no answer
}

void Authentication::put_off(core::Duration span, core::Now now) {
  asked_at_ = std::min(asked_at_ + span, now.instant);
}

std::optional<core::Instant> Authentication::due() const {
  if (state_ != State::Asked) return std::nullopt;
  return asked_at_ + peer_.engine.options.progress_max;
}

}  // namespace graspd::sync
