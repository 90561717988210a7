// Whether one relay knows who we are (NIP-42).
//
//   R1  We say who we are once on a connection, and only when the relay asks for it. A private
//       server always does.
//   R2  A relay that does not answer in time refuses; an answer that comes later still counts.
//   R3  A request that was sent before the relay knew us is worth sending again, unless the relay
//       refuses to know us.
#pragma once
#include <cstdint>
#include <optional>

#include "sync/peer_context.h"

namespace graspd::sync {

class Authentication {
 public:
  explicit Authentication(PeerContext& peer) : peer_(peer) {}

  bool is_unasked() const { return state_ == State::Unasked; }
  bool is_pending() const { return state_ == State::Asked; }
  bool is_accepted() const { return state_ == State::Accepted; }

  void ask(core::Now now);  // R1
  // True when the relay was given up before: what it refused is worth trying again.
  bool answered(bool accepted);
  void ask_again_later() { state_ = State::Unasked; }  // it was too busy for an answer
  // R3: is a refused request worth sending again? Then the relay gets to know us.
  bool helps(core::Now now, bool was_known);

  void tick(core::Now now);  // R2
  void put_off(core::Duration span, core::Now now);
  std::optional<core::Instant> due() const;

 private:
  enum class State : std::uint8_t { Unasked, Asked, Accepted, Refused };

  PeerContext& peer_;
  State state_ = State::Unasked;
  core::Instant asked_at_{};
};

}  // namespace graspd::sync
