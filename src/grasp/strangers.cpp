// Rule numbers are those of grasp/policy.h.
#include "grasp/strangers.h"

#include <charconv>
#include <limits>

#include "grasp/references.h"

namespace graspd::grasp {
namespace {

// Newest events of an author that are looked at, in search of one that belongs to a repository. A
// stranger has fewer (StrangerLimits), so nobody is hidden behind what strangers may have.
constexpr std::uint64_t kLookedAtMax = 128;

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

bool takes_part(const nostr::PublicKey& who, const store::Snapshot& here, core::UnixSeconds now) {
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

bool is_stranger(const DecisionContext& context) {
  const nostr::PublicKey& who = context.event.pubkey;
  return !context.state.is_at_home(who) && !takes_part(who, context.here, context.now);
}

void keep_in(StrangerPool& pool, const DecisionContext& context) {
  for (const StrangerPool::Entry& gone : pool.add(*context.wire, context.changes)) {
    if (context.state.is_at_home(gone.author)) continue;
    context.changes.add(store::Revoke{gone.id});
    context.state.requests.erase(gone.id, context.changes);
  }
}

}  // namespace graspd::grasp
