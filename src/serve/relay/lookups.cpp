#include "serve/relay/lookups.h"

#include "net/clock.h"

namespace graspd::serve {
namespace {

constexpr std::size_t kQuickIds = 20;
// COUNT stops here: nobody needs the exact number, and the store has other readers.
constexpr std::uint64_t kCountMax = 10'000'000;

std::string sentence(store::StoreError error) {
  return "error: " + std::string(store::describe(error));
}

relay::Input answer(relay::Handle handle, const negentropy::Responder& responder,
                    std::string_view message) {
  auto reply = responder.respond(message);
  if (reply) return relay::Reconciled{handle, *std::move(reply)};
  auto reason = "invalid: " + std::string(negentropy::describe(reply.error()));
  return relay::ReconciliationRefused{handle, std::move(reason), std::nullopt};
}

template <class Lookups>
void call_off(Lookups& lookups, relay::Handle handle) {
  auto found = lookups.find(handle);
  if (found == lookups.end()) return;
  found->second->cancelled = true;
  lookups.erase(found);
}

}  // namespace

bool is_quick(std::span<const nostr::Filter> filters) {
  std::size_t ids = 0;
  for (const nostr::Filter& filter : filters) {
    if (!filter.ids) return false;
    ids += filter.ids->size();
  }
  return ids <= kQuickIds;
}

void ClientConnection::call_off_everything() {
  while (!readings_.empty()) call_off(readings_, readings_.begin()->first);
  while (!counts_.empty()) call_off(counts_, counts_.begin()->first);
  while (!reconciliations_.empty()) call_off(reconciliations_, reconciliations_.begin()->first);
}

void ClientConnection::perform(relay::CancelQuery& action) {
  call_off(readings_, action.query);
  call_off(counts_, action.query);
}

void ClientConnection::perform(relay::Count& action) {
  relay_.meters.queries += 1;
  auto counting = std::make_shared<Counting>(action, kCountMax);
  counts_[action.query] = counting;
  Workers& workers = is_quick(*action.filters) ? relay_.quick_workers : relay_.workers;
  on_worker(
      workers, relay::footprint(*action.filters), [counting, &store = relay_.store]() -> Then {
        if (counting->cancelled) return [](ClientConnection&) {};
        auto& hll = counting->hll;
        store::Snapshot::AuthorVisitor authors;
        if (hll) authors = [&](const nostr::PublicKey& author) { hll->add(author); };
        auto snapshot = store.snapshot();
        auto state = snapshot ? (*snapshot)->count(counting->survey, kSlice,
                                                   net::now().unix_seconds, authors)
                              : core::Failure{snapshot.error()};
        if (state && *state == store::ReadState::Unfinished) return nullptr;
        relay::Input result;
        if (state)
          result = relay::Counted{counting->handle, counting->survey.seen, hll ? hll->hex() : ""};
        else
          result = relay::QueryFailed{counting->handle, sentence(state.error())};
        return [counting, result = std::move(result)](ClientConnection& self) {
          self.take_count(*counting, result);
        };
      });
}

void ClientConnection::take_count(const Counting& counting, relay::Input result) {
  if (counts_.erase(counting.handle) > 0) step(std::move(result));
}

void ClientConnection::perform(relay::OpenReconciliation& action) {
  relay_.meters.reconciliations += 1;
  auto reconciling = std::make_shared<Reconciling>(action.reconciliation);
  reconciliations_[action.reconciliation] = reconciling;
  const std::size_t bytes = relay::footprint(action.filter) + action.message.size();
  auto making =
      std::make_shared<ItemSets::Making>(relay_.item_sets, std::move(action.filter), asker_.party);
  on_worker(relay_.workers, bytes,
            [reconciling, making, message = std::move(action.message)]() -> Then {
              if (reconciling->cancelled) return [](ClientConnection&) {};
              auto items = making->step(kSlice, net::now().unix_seconds);
              if (!items) return nullptr;
              const relay::Handle handle = reconciling->handle;
              relay::Input result;
              if (*items) {
                reconciling->responder = std::make_shared<negentropy::Responder>(
                    **items, negentropy::Options{.frame_max = negentropy::kAnswerFrameMax});
                result = answer(handle, *reconciling->responder, message);
              } else {
                const auto& refusal = items->error();
                result = relay::ReconciliationRefused{handle, refusal.reason, refusal.cap};
              }
              return [reconciling, result = std::move(result)](ClientConnection& self) {
                self.take_answer(*reconciling, result);
              };
            });
}

void ClientConnection::perform(relay::ContinueReconciliation& action) {
  auto reconciling = reconciliations_.at(action.reconciliation);
  on_worker(relay_.workers, action.message.size(),
            [reconciling, message = std::move(action.message)]() -> Then {
              if (reconciling->cancelled) return [](ClientConnection&) {};
              auto result = answer(reconciling->handle, *reconciling->responder, message);
              return [reconciling, result = std::move(result)](ClientConnection& self) {
                self.take_answer(*reconciling, result);
              };
            });
}

void ClientConnection::take_answer(Reconciling& reconciling, relay::Input result) {
  if (reconciliations_.contains(reconciling.handle)) step(std::move(result));
}

void ClientConnection::perform(relay::EndReconciliation& action) {
  call_off(reconciliations_, action.reconciliation);
}

}  // namespace graspd::serve
