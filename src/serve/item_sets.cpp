#include "serve/item_sets.h"

#include <algorithm>
#include <limits>

#include "negentropy/item_set_builder.h"
#include "serve/large_pages.h"

namespace graspd::serve {
namespace {

core::Failure<ItemSets::Refusal> failed(store::StoreError error) {
  return {{"error: " + std::string(store::describe(error)), {}}};
}

}  // namespace

core::Result<ItemSets::Set, ItemSets::Refusal> ItemSets::get(nostr::Filter filter,
                                                             core::UnixSeconds now) {
  Question question{std::move(filter), store_.newest()};
  if (Set set = find(question, now)) return set;
  auto made = make(question.filter, now);
  if (made && (*made)->memory_bytes() >= limits_.shared_bytes_min)
    remember(std::move(question), now, *made);
  return made;
}

core::Result<ItemSets::Set, ItemSets::Refusal> ItemSets::make(const nostr::Filter& filter,
                                                              core::UnixSeconds now) const {
  if (bytes_->load() >= limits_.bytes)
    return core::Failure{Refusal{"error: busy with other reconciliations; try again later", {}}};
  auto snapshot = store_.snapshot();
  if (!snapshot) return failed(snapshot.error());
  std::uint64_t cap = limits_.items > 0 ? limits_.items : std::numeric_limits<std::uint64_t>::max();
  std::uint64_t max = std::min(cap, filter.limit.value_or(cap));
  negentropy::ItemSetBuilder builder(std::min(max, (*snapshot)->size()), large_pages());
  auto all = (*snapshot)->scan(filter, now, max, [&](std::span<const store::Position> some) {
    for (const auto& [created_at, id] : some)
      builder.add({static_cast<std::uint64_t>(created_at), id.bytes()});
  });
  if (!all) return failed(all.error());
  bool is_cut_by_its_limit = filter.limit && *filter.limit <= cap;
  if (!*all && !is_cut_by_its_limit)
    return core::Failure{
        Refusal{"blocked: too many records; split the query by time", limits_.items}};
  return count_in(std::move(builder).finish());
}

ItemSets::Set ItemSets::count_in(negentropy::ItemSet set) const {
  std::size_t bytes = set.memory_bytes();
  *bytes_ += bytes;
  auto give_back = [total = bytes_, bytes](const negentropy::ItemSet* dead) {
    delete dead;
    *total -= bytes;
  };
  return {new negentropy::ItemSet(std::move(set)), give_back};
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
