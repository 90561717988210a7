// What people who take no part here may leave, and send to others (R14, R15).
#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <limits>

#include "grasp/deletion_scope.h"
#include "grasp/policy.h"
#include "grasp/references.h"

namespace graspd::grasp {
namespace {

// Newest events of an author that are looked at, in search of one that belongs to a repository. A
// stranger has fewer (StrangerLimits), so nobody is hidden behind what strangers may have.
constexpr std::uint64_t kLookedAtMax = 128;

// Addresses of one deletion that are looked up.
constexpr std::size_t kAddressesMax = 64;

// Of an event as it is stored: what stands before the kind holds no text of anybody.
std::optional<nostr::Kind> kind_of(std::string_view json) {
  constexpr std::string_view kName = "\"kind\":";
  const auto at = json.find(kName);
  if (at == json.npos) return std::nullopt;
  nostr::Kind kind{};
  const char* begin = json.data() + at + kName.size();
  const auto [end, error] = std::from_chars(begin, json.data() + json.size(), kind.value);
  return error == std::errc() ? std::optional(kind) : std::nullopt;
}

}  // namespace

bool Policy::is_at_home(const nostr::PublicKey& who) const {
  return who == options_.operator_key || catalog_.is_involved(who);
}

bool Policy::takes_part(const nostr::PublicKey& who, const store::Snapshot& here,
                        core::UnixSeconds now) const {
  nostr::Filter by_author;
  by_author.authors = {{who}};
  by_author.limit = kLookedAtMax;
  std::size_t seen = 0;
  bool found = false;
  store::Cursor cursor({by_author}, std::numeric_limits<store::Serial>::max());
  const auto visit = [&](const store::Found& event) {
    const auto kind = kind_of(event.json);
    found = found || (kind && can_anchor(*kind)) || ++seen == kLookedAtMax;
  };
  for (;;) {
    const auto read = here.read(cursor, {}, now, visit);
    if (found) return true;
    if (!read || *read == store::ReadState::Finished) return false;
  }
}

bool Policy::is_stranger(const Call& call) const {
  const nostr::PublicKey& who = call.event.pubkey;
  return !is_at_home(who) && !takes_part(who, call.here, call.now);
}

// What is served, or was: not what anybody can have wait here for nothing.
bool Policy::names_something_here(const Call& call) const {
  const nostr::PublicKey& who = call.event.pubkey;
  const nostr::Deletions asked = nostr::requested_deletions(call.event);
  const auto is_kept = [&](const nostr::EventId& id) {
    return call.here.contains(id) && !requests_.contains(id) && !lists_.contains(id);
  };
  if (std::ranges::any_of(asked.ids, is_kept)) return true;
  const DeletionScope reach(call.event, options_.relay);
  for (const nostr::Kind kind : {kinds::kAnnouncement, kinds::kState})
    for (const history::Past& past : history::of_author(call.here, kind, who))
      if (reach.covers(past.version.id, past.version.created_at, past.address())) return true;
  const auto is_stored = [&](const nostr::Address& address) {
    if (address.kind == kinds::kUserGraspList && !lists_.of(who).empty()) return false;
    return has_stored(address, call.here, call.now);
  };
  const auto first = std::min(asked.addresses.size(), kAddressesMax);
  return std::ranges::any_of(std::span(asked.addresses).first(first), is_stored);
}

void Policy::keep_in(StrangerPool& pool, const Call& call) {
  for (const StrangerPool::Entry& gone : pool.add(*call.wire, call.changes))
    if (!is_at_home(gone.author)) call.changes.add(store::Revoke{gone.id});
}

// R14
Verdict Policy::user_list(const Call& call) {
  const nostr::PublicKey& who = call.event.pubkey;
  const bool is_strangers = is_stranger(call);
  if (is_strangers && call.wire->json.size() > kStrangersBytesMax)
    return Refuse{fmt::format("blocked: event size ({} bytes) exceeds the {} bytes that people who "
                              "take no part in a repository here may use",
                              call.wire->json.size(), kStrangersBytesMax),
                  Reason::Unwelcome};
  for (const nostr::EventId& older : lists_.of(who)) lists_.erase(older, call.changes);
  if (is_strangers) keep_in(lists_, call);
  return Take{};
}

// R15
Verdict Policy::ephemeral(const Call& call) const {
  const bool is_ours = is_at_home(call.event.pubkey) ||
                       is_related(call.event, catalog_, call.here, in_flight_, call.now) ||
                       takes_part(call.event.pubkey, call.here, call.now);
  if (is_ours) return Take{};
  if (call.wire->json.size() > kStrangersBytesMax)
    return Refuse{fmt::format("blocked: event size ({} bytes) exceeds the {} bytes that people who "
                              "take no part in a repository here may use",
                              call.wire->json.size(), kStrangersBytesMax),
                  Reason::Unwelcome};
  return Take{.of_stranger = true};
}

void Policy::forget_pooled(const nostr::EventId& id, Transition& changes) {
  requests_.erase(id, changes);
  lists_.erase(id, changes);
}

}  // namespace graspd::grasp
