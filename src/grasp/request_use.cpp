#include "grasp/request_use.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "grasp/deletion_scope.h"
#include "nostr/json.h"
#include "nostr/replaceable.h"

namespace graspd::grasp {
namespace {

// Of one author, that are looked at for one event: the writer waits.
constexpr std::size_t kRequestsSeenMax = 32;

std::vector<nostr::Filter> filters_for(const nostr::Event& event, store::Outcome outcome) {
  nostr::Filter requests;
  requests.authors = {{event.pubkey}};
  requests.limit = kRequestsSeenMax;
  if (outcome == store::Outcome::Vanished) {
    requests.kinds = {{nostr::kinds::kVanish}};
    requests.since = event.created_at;
    return {requests};
  }
  requests.kinds = {{nostr::kinds::kDeletion}};
  nostr::Filter by_id = requests;
  by_id.tags = {{'e', {event.id.hex()}}};
  std::vector<nostr::Filter> filters{by_id};
  if (const auto address = nostr::address_of(event)) {
    requests.tags = {{'a', {address->text()}}};
    requests.since = event.created_at;
    filters.push_back(requests);
  }
  return filters;
}

std::vector<nostr::EventId> served_requests(const DecisionContext& context,
                                            store::Outcome outcome) {
  std::vector<nostr::EventId> found;
  const auto visit = [&](const store::Found& one) {
    if (const auto event = nostr::JsonReader().event(one.json)) found.push_back(event->id);
  };
  store::Cursor cursor(filters_for(context.event, outcome),
                       std::numeric_limits<store::Serial>::max());
  for (;;) {
    const auto read = context.here.read(cursor, {}, context.now, visit);
    if (!read || *read == store::ReadState::Finished) return found;
  }
}

std::vector<nostr::EventId> unserved_requests(const DecisionContext& context) {
  auto ids = context.state.requests.unserved_of(context.event.pubkey);
  if (ids.size() > kRequestsSeenMax)
    ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(kRequestsSeenMax), ids.end());
  std::erase_if(ids, [&](const nostr::EventId& id) {
    const auto request = DeletionRequests::unserved(id, context.here);
    return !request || !DeletionScope(request->event, context.rules.options().relay)
                            .covers(context.event.id, context.event.created_at,
                                    nostr::address_of(context.event));
  });
  return ids;
}

}  // namespace

void credit_request(const DecisionContext& context, store::Outcome outcome) {
  if (outcome != store::Outcome::Deleted && outcome != store::Outcome::Vanished) return;
  auto ids = served_requests(context, outcome);
  std::ranges::copy(unserved_requests(context), std::back_inserter(ids));
  const DeletionRequests& requests = context.state.requests;
  std::erase_if(ids, [&](const nostr::EventId& id) { return !requests.find(id); });
  if (ids.empty()) return;
  const auto rank = [&](const nostr::EventId& id) {
    const DeletionRequests::Term& term = *requests.find(id);
    return std::tuple(term.used == 0, term.came, id);
  };
  context.state.requests.used(*std::ranges::min_element(ids, {}, rank), context.here, context.now,
                              context.changes);
}

}  // namespace graspd::grasp
