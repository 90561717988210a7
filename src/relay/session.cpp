#include "relay/session.h"

#include "relay/admission.h"

namespace graspd::relay {
namespace {

namespace says = nostr::relay_says;

// What `["EVENT",…]` adds to the event itself.
constexpr std::size_t kEventWrapping = 10;
constexpr std::string_view kTooManyQueries = "rate-limited: too many queries";

}  // namespace

Session::Session(const Limits& limits, nostr::RelayUrl self, std::string challenge, core::Now now,
                 std::optional<nostr::PublicKey> owner, IsMember is_member)
    : limits_(limits),
      owner_(owner),
      is_member_(std::move(is_member)),
      authentication_(
          std::move(self), std::move(challenge),
          is_member_ ? Gate::kClockToleranceSeconds : Authentication::kClockToleranceSeconds),
      events_(limits.events_per_minute, now.instant),
      queries_(limits.queries_per_minute, now.instant),
      neg_messages_(limits.queries_per_minute, now.instant),
      authentications_(limits.authentications_per_minute, now.instant),
      requests_(limits_),
      reconciliations_(limits_) {
  if (is_member_) gate_.emplace(authentication_, is_member_, now.instant);
}

Actions Session::step(core::Now now, Input input) {
  actions_.clear();
  std::visit([&](auto& event) { on(now, event); }, input);
  return std::move(actions_);
}

void Session::on(core::Now, Entered&) {
  if (gate_) gate_->enter(actions_);
}

void Session::on(core::Now, MembersChanged&) {
  if (gate_) gate_->members_changed(actions_);
}

void Session::on(core::Now now, Tick&) {
  if (gate_) gate_->tick(now, actions_);
  reconciliations_.drop_idle(now, actions_);
}

void Session::on(core::Now now, Said& said) {
  if (is_waiting()) return gate_->hear(now, said, actions_);
  std::visit([&](auto& message) { hear(now, message, said); }, said.message);
}

void Session::on(core::Now, SaidNonsense& in) {
  if (is_waiting()) return gate_->hear_nonsense(actions_);
  using Reply = nostr::BadMessage::Reply;
  const auto& [reply, about, reason] = in.problem;
  switch (reply) {
    case Reply::Notice:
      return send(says::notice(reason));
    case Reply::Ok:
      return send(says::ok(about, false, reason));
    case Reply::Closed:
      return requests_.close_with(about, reason, actions_);
    case Reply::NegErr:
      return reconciliations_.close_with(about, reason, actions_);
  }
  CHECK(false);
}

void Session::on(core::Now, SaidBinary&) {
  if (is_waiting()) return gate_->hear_binary(actions_);
  send(says::notice("binary messages are not processed by this relay"));
}

void Session::on(core::Now, Decided& in) { send(says::ok(in.id, in.accepted, in.text)); }

void Session::hear(core::Now now, nostr::client::Publish& message, const Said& said) {
  nostr::Event& event = message.event;
  const bool too_fast = said.address_over_event_rate || !events_.take(now.instant);
  if (too_fast && !is_owner()) return send(says::ok(event.id, false, "rate-limited: slow down"));
  std::size_t bytes = said.bytes > kEventWrapping ? said.bytes - kEventWrapping : 0;
  if (auto reason = refuse_at_intake(event, bytes, limits_, now.unix_seconds))
    return send(says::ok(event.id, false, reason->text));
  if (auto reason = refuse_protected(event)) return send(says::ok(event.id, false, *reason));
  actions_.push_back(Submit{std::move(event), said.bytes});
}

std::optional<std::string> Session::refuse_protected(const nostr::Event& event) {
  if (!nostr::is_protected(event) || authentication_.knows(event.pubkey)) return std::nullopt;
  if (authentication_.knows_anyone())
    return "restricted: this event may only be published by its author";
  send_challenge();
  return "auth-required: this event may only be published by its author";
}

void Session::send_challenge() {
  challenge_sent_ = true;
  send(says::auth(authentication_.challenge()));
}

void Session::hear(core::Now now, nostr::client::Authenticate& message, const Said&) {
  const nostr::Event& event = message.event;
  if (!authentications_.take(now.instant))
    return send(says::ok(event.id, false, "rate-limited: too many authentication attempts"));
  if (gate_ && !gate_->belongs_to(event.pubkey))  // R5
    return send(says::ok(event.id, false, "restricted: this connection belongs to another key"));
  auto accepted = authentication_.accept(event, now.unix_seconds);
  if (accepted) return send(says::ok(event.id, true, ""));
  if (!challenge_sent_) send_challenge();
  send(says::ok(event.id, false, "auth-required: " + accepted.error()));
}

void Session::hear(core::Now now, nostr::client::Request& message, const Said& said) {
  if (!queries_.take(now.instant) && !is_owner())
    return requests_.close_with(message.subscription, kTooManyQueries, actions_);
  requests_.open(std::move(message), {said.bytes, said.space}, actions_);
}

void Session::hear(core::Now now, nostr::client::Count& message, const Said& said) {
  if (!queries_.take(now.instant) && !is_owner())
    return requests_.close_with(message.subscription, kTooManyQueries, actions_);
  requests_.count(std::move(message), {said.bytes, said.space}, actions_);
}

void Session::hear(core::Now, nostr::client::Close& message, const Said&) {
  requests_.close(message.subscription, actions_);
}

void Session::hear(core::Now now, nostr::client::NegOpen& message, const Said&) {
  if (!queries_.take(now.instant) && !is_owner())
    return reconciliations_.close_with(message.subscription, kTooManyQueries, actions_);
  reconciliations_.open(now, std::move(message), actions_);
}

void Session::hear(core::Now now, nostr::client::NegMessage& message, const Said&) {
  if (!neg_messages_.take(now.instant) && !is_owner())
    return reconciliations_.close_with(message.subscription, kTooManyQueries, actions_);
  reconciliations_.proceed(now, std::move(message), actions_);
}

void Session::hear(core::Now, nostr::client::NegClose& message, const Said&) {
  reconciliations_.close(message.subscription, actions_);
}

}  // namespace graspd::relay
