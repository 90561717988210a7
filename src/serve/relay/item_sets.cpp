#include "serve/relay/item_sets.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/check.h"
#include "serve/runtime/large_pages.h"

namespace graspd::serve {
namespace {

core::Failure<ItemSets::Refusal> failed(store::StoreError error) {
  return {{"error: " + std::string(store::describe(error)), {}}};
}

constexpr std::size_t kPartyShare = 4;  // R4

core::Failure<ItemSets::Refusal> busy() {
  return {{"error: busy with other reconciliations; try again later", {}}};
}

std::uint64_t items_max(std::uint64_t setting) {
  return setting > 0 ? setting : std::numeric_limits<std::uint64_t>::max();
}

}  // namespace

ItemSets::Answer ItemSets::get(nostr::Filter filter, core::UnixSeconds now, const Party& party) {
  Making making(*this, std::move(filter), party);
  for (;;)
    if (auto answer = making.step(store::Budget::unlimited(), now)) return *std::move(answer);
}

ItemSets::Making::Making(ItemSets& sets, nostr::Filter filter, const Party& party)
    : sets_(sets),
      party_(party),
      question_{std::move(filter), sets.store_.newest()},
      survey_({question_.filter},
              std::min(items_max(sets.limits_.items),
                       question_.filter.limit.value_or(items_max(sets.limits_.items)))) {}

std::optional<ItemSets::Answer> ItemSets::Making::step(const store::Budget& slice,
                                                       core::UnixSeconds now) {
  if (Set set = sets_.find(question_, now)) return sets_.lend(std::move(set), party_);
  if (is_crowded_out()) return busy();
  return read(slice, now);
}

// R1, R4. A set that is alone may be of any size.
bool ItemSets::Making::is_crowded_out() const {
  const std::size_t max = sets_.limits_.bytes;
  const std::size_t all = sets_.ledger_->all, own = sets_.ledger_->of(party_);
  return (all > counted_ && all >= max) || (own > counted_ && own >= max / kPartyShare);
}

void ItemSets::Making::count(std::size_t bytes) {
  Ledger& ledger = *sets_.ledger_;
  ledger.give_back(party_, counted_);
  ledger.take(party_, bytes);
  ledger.all += bytes - std::exchange(counted_, bytes);
}

std::optional<ItemSets::Answer> ItemSets::Making::read(const store::Budget& slice,
                                                       core::UnixSeconds now) {
  auto snapshot = sets_.store_.snapshot();
  if (!snapshot) return failed(snapshot.error());
  if (!builder_) builder_.emplace(std::min(survey_.max, (*snapshot)->size()), large_pages());
  auto state = (*snapshot)->scan(survey_, slice, now, [&](std::span<const store::Position> some) {
    for (const auto& [created_at, id] : some)
      builder_->add({static_cast<std::uint64_t>(created_at), id.bytes()});
  });
  if (!state) return failed(state.error());
  count(survey_.seen * sizeof(negentropy::Item));
  if (*state == store::ReadState::Unfinished) return std::nullopt;
  return finish(now);
}

ItemSets::Answer ItemSets::Making::finish(core::UnixSeconds now) {
  const auto limit = question_.filter.limit;
  const bool is_cut_by_its_limit = limit && *limit <= items_max(sets_.limits_.items);
  if (survey_.cut && !is_cut_by_its_limit)
    return core::Failure{
        Refusal{"blocked: too many records; split the query by time", sets_.limits_.items}};
  Set set = sets_.count_in(std::move(*builder_).finish());
  if (set->memory_bytes() >= sets_.limits_.shared_bytes_min)
    sets_.remember(std::move(question_), now, set);
  return sets_.lend(std::move(set), party_);
}

std::size_t ItemSets::Ledger::of(const Party& party) const {
  std::lock_guard lock(mutex);
  auto found = by_party.find(party);
  return found == by_party.end() ? 0 : found->second;
}

void ItemSets::Ledger::take(const Party& party, std::size_t bytes) {
  std::lock_guard lock(mutex);
  if (bytes > 0) by_party[party] += bytes;
}

void ItemSets::Ledger::give_back(const Party& party, std::size_t bytes) {
  if (bytes == 0) return;
  std::lock_guard lock(mutex);
  auto found = by_party.find(party);
  CHECK(found != by_party.end() && found->second >= bytes);
  if ((found->second -= bytes) == 0) by_party.erase(found);
}

ItemSets::Set ItemSets::count_in(negentropy::ItemSet set) const {
  const std::size_t bytes = set.memory_bytes();
  ledger_->all += bytes;
  auto give_back = [ledger = ledger_, bytes](const negentropy::ItemSet* dead) {
    delete dead;
    ledger->all -= bytes;
  };
  return {new negentropy::ItemSet(std::move(set)), give_back};
}

// Who shares a set keeps it in memory too: each party that has it is charged.
ItemSets::Set ItemSets::lend(Set set, const Party& party) const {
  const std::size_t bytes = set->memory_bytes();
  ledger_->take(party, bytes);
  const negentropy::ItemSet* items = set.get();
  return {items, [set = std::move(set), ledger = ledger_, party, bytes](const auto*) {
            ledger->give_back(party, bytes);
          }};
}

ItemSets::Set ItemSets::find(const Question& question, core::UnixSeconds now) {
  std::lock_guard lock(mutex_);
  for (const Known& known : known_) {
    bool fresh = known.question.newest == question.newest && now - known.asked_at <= kSharedFor;
    if (fresh && known.question.filter == question.filter) return known.set.lock();
  }
  return nullptr;
}

void ItemSets::remember(Question question, core::UnixSeconds now, const Set& set) {
  std::lock_guard lock(mutex_);
  std::erase_if(known_, [&](const Known& known) {
    return known.set.expired() || known.question.filter == question.filter;
  });
  known_.push_back({std::move(question), now, set});
}

}  // namespace graspd::serve
