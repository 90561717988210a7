#include "relay/authentication.h"

#include <cstdlib>
#include <fmt/format.h>

#include "nostr/serialize.h"
#include "nostr/signature.h"

namespace graspd::relay {
namespace {

bool names_relay(const nostr::Event& event, const nostr::RelayUrl& self) {
  for (nostr::Tag tag : event.tags) {
    if (tag.name() != "relay") continue;
    auto url = nostr::RelayUrl::parse(tag.value());
    if (url && nostr::names_same_relay(*url, self)) return true;
  }
  return false;
}

bool has_challenge(const nostr::Event& event, std::string_view challenge) {
  for (nostr::Tag tag : event.tags)
    if (tag.name() == "challenge" && tag.value() == challenge) return true;
  return false;
}

}  // namespace

core::Result<core::Done, std::string> Authentication::accept(const nostr::Event& event,
                                                             core::UnixSeconds now) {
  auto refuse = [](std::string reason) { return core::Failure{std::move(reason)}; };
  if (event.kind != nostr::kinds::kClientAuth) return refuse("the event must be of kind 22242");
  if (std::abs(now - event.created_at) > tolerance_)
    return refuse(
        fmt::format("created_at is more than {} minutes off; check the clock", tolerance_ / 60));
  if (!has_challenge(event, challenge_)) return refuse("the challenge is not the one sent here");
  if (!names_relay(event, self_)) return refuse("the relay tag does not name " + self_.text());
  if (keys_.size() >= kKeysMax) return refuse("no more keys on one connection");
  if (!nostr::id_is_right(event)) return refuse("the event id does not match its content");
  if (!nostr::signature_is_right(event)) return refuse("the signature is wrong");
  keys_.insert(event.pubkey);
  return core::Done{};
}

}  // namespace graspd::relay
