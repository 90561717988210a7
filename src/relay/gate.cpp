#include "relay/gate.h"

#include <utility>

namespace graspd::relay {
namespace {

namespace says = nostr::relay_says;

constexpr std::string_view kBeforeAnything =
    "auth-required: authenticate before sending relay messages";

// What a message is answered with before its sender is known.
struct EarlyAnswer {
  std::string operator()(const nostr::client::Publish& message) const {
    return says::ok(message.event.id, false, "auth-required: authenticate before publishing");
  }
  std::string operator()(const nostr::client::Request& message) const {
    return unread(message.subscription);
  }
  std::string operator()(const nostr::client::Count& message) const {
    return unread(message.subscription);
  }
  std::string operator()(const nostr::client::NegOpen& message) const {
    return says::neg_error(message.subscription, "auth-required: authenticate before syncing",
                           std::nullopt);
  }
  template <class Other>
  std::string operator()(const Other&) const {
    return says::notice(kBeforeAnything);
  }

 private:
  static std::string unread(const nostr::SubscriptionId& subscription) {
    return says::closed(subscription, "auth-required: authenticate before reading");
  }
};

}  // namespace

void Gate::enter(Actions& actions) const {
  actions.push_back(Send{says::auth(authentication_.challenge())});
}

void Gate::end(std::string reason, End::Unsent unsent, Actions& actions) {
  if (std::exchange(ended_, true)) return;
  actions.push_back(End{std::move(reason), unsent});
}

// R4. False: the connection has ended.
bool Gate::count(Actions& actions) {
  if (ended_) return false;
  if (++messages_ <= kMessagesMax) return true;
  end("too many messages before authentication", End::Unsent::Sent, actions);
  return false;
}

void Gate::hear(core::Now now, const Said& said, Actions& actions) {
  if (!count(actions)) return;
  if (const auto* answer = std::get_if<nostr::client::Authenticate>(&said.message))
    return judge(now, answer->event, actions);
  actions.push_back(Send{std::visit(EarlyAnswer{}, said.message)});
}

void Gate::hear_nonsense(Actions& actions) {
  if (count(actions)) actions.push_back(Send{says::notice(kBeforeAnything)});
}

void Gate::judge(core::Now now, const nostr::Event& event, Actions& actions) {
  if (!authentication_.accept(event, now.unix_seconds)) {
    actions.push_back(
        Send{says::ok(event.id, false, "auth-required: invalid NIP-42 authentication")});
    if (++wrong_answers_ >= kWrongAnswersMax)
      end("too many invalid authentications", End::Unsent::Sent, actions);
    return;
  }
  if (!is_member_(event.pubkey)) {  // R3
    actions.push_back(
        Send{says::ok(event.id, false, "restricted: authenticated pubkey is not whitelisted")});
    return end("restricted", End::Unsent::Sent, actions);
  }
  member_ = event.pubkey;
  actions.push_back(Opened{});
  actions.push_back(Send{says::ok(event.id, true, "")});
}

void Gate::tick(core::Now now, Actions& actions) {
  if (!member_ && now.instant >= deadline_)
    end("authentication took too long", End::Unsent::Sent, actions);
}

void Gate::members_changed(Actions& actions) {
  if (member_ && !is_member_(*member_)) end("restricted", End::Unsent::Dropped, actions);
}

}  // namespace graspd::relay
