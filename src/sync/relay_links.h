// How each relay is connected: when it is dialled, what a connection begins with, when it is left
// (R1, R2, R4, R6 and R8 of sync/engine.h).
//
//   R1  Every change of a relay ends with tend(): it does what is due, sends what may be sent, and
//       sets the relay's next alarm.
//   R2  A relay whose dial fails is blamed, unless so many others fail at the same time that the
//       fault is ours.
//   R3  What is remembered of a relay is saved when it changed, but not while we stop: that we left
//       says nothing of the relay.
#pragma once
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "sync/alarms.h"
#include "sync/gates.h"
#include "sync/relay_directory.h"
#include "sync/session_context.h"

namespace graspd::sync {

class RelayLinks {
 public:
  // The key of a relay's alarm is its number.
  static constexpr std::uint32_t kDialAlarm = 0xffff'fffe;

  RelayLinks(SessionContext& context, RelayDirectory& relays, Alarms<std::uint32_t>& alarms)
      : context_(context), relays_(relays), alarms_(alarms) {}

  void on(core::Now now, const InformationRead& in);
  void on(core::Now now, const DialFailed& in);
  void on(core::Now now, const Connected& in);
  void on(core::Now now, const Disconnected& in);
  void on(core::Now now, const Heard& in);
  // What concerns a session.
  template <class In>
  void pass_on(core::Now now, const In& in);

  void tend(core::Now now, Relay& relay);  // R1
  void start_dials(core::Now now);
  void stop(core::Now now);

  bool is_wanted(const Relay& relay) const;
  // Nobody has wanted it for so long that it can be forgotten.
  bool is_over(const Relay& relay, core::Now now) const;
  bool is_stopped() const { return is_stopped_; }
  std::size_t dials_waiting() const { return dial_queue_.size(); }

 private:
  PeerSession* session_of(RelayId relay, Session session);
  template <class In>
  void too_late(core::Now now, const In& in);
  // The relay that is being dialled, or asked for information.
  template <class State>
  Relay* in_state(RelayId id, Session session);
  void tend_session(core::Now now, Relay& relay, PeerSession& session);
  std::optional<core::Instant> leave_at(const Relay& relay) const;
  core::Instant next_daily(core::Now now);
  void queue_dial(core::Now now, Relay& relay);
  void start_dial(core::Now now, Relay& relay);
  void dial(core::Now now, Relay& relay, Session session);
  bool is_left_alone(const Relay& relay) const;  // R8 of sync/engine.h
  void leave_alone(core::Now now, Relay& relay);
  void attempt_over(core::Now now, Relay& relay);
  void start_session(core::Now now, Relay& relay, Session session);
  void clear_failures(core::Now now);
  void blame(core::Now now, Relay& relay, const std::string& why);
  void reject(core::Now now, Relay& relay, const std::string& why);
  void hang_up(core::Now now, Relay& relay, const std::string& why, bool is_guilty);
  void lost(core::Now now, Relay& relay, const std::string& why, bool is_guilty);
  void save(core::Now now, Relay& relay);  // R3

  SessionContext& context_;
  RelayDirectory& relays_;
  Alarms<std::uint32_t>& alarms_;
  DialGate dials_;
  std::set<std::pair<core::Instant, RelayId>> dial_queue_;
  std::uint32_t sessions_ = 0;
  bool is_stopped_ = false;
};

}  // namespace graspd::sync
