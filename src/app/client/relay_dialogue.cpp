#include "app/client/relay_dialogue.h"

#include <utility>

#include "nostr/serialize.h"

namespace graspd::app {
namespace {

namespace said = nostr::relay_said;
namespace says = nostr::client_says;

constexpr std::string_view kSubscription = "graspd";

}  // namespace

Frames Authentication::challenged(const std::string& challenge) {
  challenge_ = challenge;
  return wanted_ && !sent_ ? reply() : Frames{};
}

bool Authentication::helps_against(const std::string& refusal, Frames& words) {
  if (wanted_ || !refusal.starts_with("auth-required:") || !answer_) return false;
  wanted_ = true;
  if (challenge_) words = reply();
  return true;
}

Frames Authentication::reply() {
  const auto event = answer_(*challenge_);
  if (!event) return {};
  sent_ = event->id;
  return {says::auth(nostr::to_json(*event))};
}

PublishDialogue::PublishDialogue(const nostr::Event& event, AnswerChallenge answer, Notice notice)
    : id_(event.id),
      said_(says::event(nostr::to_json(event))),
      authentication_(std::move(answer)),
      notice_(std::move(notice)) {}

Frames PublishDialogue::begin() { return {said_}; }

Frames PublishDialogue::hear(const nostr::RelayMessage& message) {
  if (const auto* notice = std::get_if<said::Notice>(&message)) notice_(notice->text);
  if (const auto* challenge = std::get_if<said::Challenge>(&message))
    return authentication_.challenged(challenge->text);
  if (const auto* ok = std::get_if<said::Ok>(&message)) return decided(*ok);
  return {};
}

Frames PublishDialogue::decided(const said::Ok& ok) {
  if (authentication_.is_mine(ok.id)) {
    if (ok.accepted) return {said_};
    verdict_ = {false, ok.text};
    return {};
  }
  if (ok.id != id_) return {};
  Frames words;
  if (ok.accepted || !authentication_.helps_against(ok.text, words))
    verdict_ = {ok.accepted, ok.text};
  return words;
}

ReadDialogue::ReadDialogue(Wish wish, AnswerChallenge answer, Notice notice)
    : wish_(std::move(wish)), authentication_(std::move(answer)), notice_(std::move(notice)) {}

Frames ReadDialogue::begin() { return {says::req(kSubscription, wish_.filter)}; }

Frames ReadDialogue::hear(const nostr::RelayMessage& message) {
  if (const auto* notice = std::get_if<said::Notice>(&message)) notice_(notice->text);
  if (const auto* challenge = std::get_if<said::Challenge>(&message))
    return authentication_.challenged(challenge->text);
  if (const auto* matching = std::get_if<said::Matching>(&message)) {
    if (matching->subscription == kSubscription) wish_.found(matching->event);
  }
  if (const auto* end = std::get_if<said::EndOfStored>(&message)) {
    if (end->subscription != kSubscription || wish_.follow) return {};
    verdict_ = {true, ""};
    return {says::close(kSubscription)};
  }
  if (const auto* ok = std::get_if<said::Ok>(&message)) {
    if (!authentication_.is_mine(ok->id)) return {};
    if (ok->accepted) return begin();
    verdict_ = {false, ok->text};
  }
  if (const auto* closed = std::get_if<said::Closed>(&message)) {
    Frames words;
    if (closed->subscription == kSubscription &&
        !authentication_.helps_against(closed->text, words))
      verdict_ = {false, closed->text};
    return words;
  }
  return {};
}

}  // namespace graspd::app
