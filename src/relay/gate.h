// The gate of a private service (GRASP-08): a client proves that it is a member (NIP-42) before
// anything else reaches the relay.
//
//   R1  The challenge is sent at once. Until the gate is open, every message is answered with
//       `auth-required:`, in the form that fits it; binary messages are ignored.
//   R2  An answer to the challenge is good for 120 seconds around our clock. It names this relay;
//       host case, default port and a slash at the end make no difference.
//   R3  A member is let in. Whoever proves to be somebody else is told so, and the connection ends.
//       The third wrong answer ends it, too.
//   R4  Until then a message has at most 16 KiB, there are at most 20 messages, and there are 30
//       seconds; whoever exceeds this is disconnected.
//   R5  A connection belongs to the key that opened it. When that key ceases to be a member, the
//       connection ends at once, and what is unsent is dropped.
#pragma once
#include <cstddef>
#include <optional>

#include "core/time.h"
#include "relay/authentication.h"
#include "relay/member_set.h"
#include "relay/messages.h"

namespace graspd::relay {

class Gate {
 public:
  // An answer to a challenge has half a kilobyte; lists of filters of strangers are not wanted.
  static constexpr std::size_t kMessageBytesMax = 16 * 1024;
  static constexpr std::size_t kMessagesMax = 20;
  static constexpr std::size_t kWrongAnswersMax = 3;
  static constexpr core::Duration kPatience{30'000};
  static constexpr core::UnixSeconds kClockToleranceSeconds = 120;

  // Both outlive the gate.
  Gate(Authentication& authentication, const IsMember& is_member, core::Instant now)
      : authentication_(authentication), is_member_(is_member), deadline_(now + kPatience) {}

  bool is_open() const { return member_.has_value() && !ended_; }
  bool belongs_to(const nostr::PublicKey& key) const { return member_ == key; }

  void enter(Actions& actions) const;  // R1
  // Only while it is not open.
  void hear(core::Now now, const Said& said, Actions& actions);
  void hear_nonsense(Actions& actions);
  void hear_binary(Actions& actions) { count(actions); }
  // At any time.
  void tick(core::Now now, Actions& actions);  // R4
  void members_changed(Actions& actions);      // R5

 private:
  bool count(Actions& actions);
  void judge(core::Now now, const nostr::Event& event, Actions& actions);
  void end(std::string reason, End::Unsent unsent, Actions& actions);

  Authentication& authentication_;
  const IsMember& is_member_;
  const core::Instant deadline_;
  std::optional<nostr::PublicKey> member_;
  std::size_t messages_ = 0, wrong_answers_ = 0;
  bool ended_ = false;
};

}  // namespace graspd::relay
