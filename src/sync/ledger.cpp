#include "sync/ledger.h"

#include <algorithm>
#include <limits>

namespace graspd::sync {
namespace {

constexpr core::UnixSeconds kFirst = std::numeric_limits<core::UnixSeconds>::min();
constexpr core::UnixSeconds kLast = std::numeric_limits<core::UnixSeconds>::max();

core::UnixSeconds first_of(const Window& window) { return window.since.value_or(kFirst); }
core::UnixSeconds last_of(const Window& window) { return window.until.value_or(kLast); }

// L1 asks for no values: it is one.
IdSet ids_of(const Slice& slice) {
  if (slice.filter_class <= FilterClass::Repositories) return {0};
  IdSet ids;
  ids.add(slice.ids);
  return ids;
}

const IdSet* wanted_of(FilterClass filter_class, const Items& wanted) {
  switch (request_class(filter_class)) {
    case RequestClass::Repos:
      return &wanted.repos;
    case RequestClass::Roots:
      return &wanted.roots;
    case RequestClass::Announcements:
    case RequestClass::Ids:
    case RequestClass::Given:
      break;
  }
  return nullptr;
}

void keep(FilterClass filter_class, IdSet& ids, const Items& wanted) {
  if (filter_class == FilterClass::States) {
    ids &= wanted.repos | wanted.states;
  } else if (const IdSet* of_class = wanted_of(filter_class, wanted)) {
    ids &= *of_class;
  }
}

}  // namespace

void Ledger::owe(FilterClass filter_class, const IdSet& ids, Window window) {
  if (ids.empty()) return;
  owed_[filter_class] |= ids;
  debts_.push_back({filter_class, ids, window});
}

void Ledger::owe(const Slice& slice, Window window) {
  owe(slice.filter_class, ids_of(slice), window);
}

void Ledger::pay(const Slice& slice, Window window) {
  const IdSet ids = ids_of(slice);
  const core::UnixSeconds first = first_of(window), last = last_of(window);
  std::vector<Debt> rest;  // R2
  for (Debt& debt : debts_) {
    if (debt.filter_class != slice.filter_class) continue;
    if (last < first_of(debt.window) || first > last_of(debt.window)) continue;
    const IdSet paid = debt.ids & ids;
    if (paid.empty()) continue;
    debt.ids -= ids;
    if (first > first_of(debt.window)) {
      rest.push_back({debt.filter_class, paid, {debt.window.since, first - 1}});
    }
    if (last < last_of(debt.window)) {
      rest.push_back({debt.filter_class, paid, {last + 1, debt.window.until}});
    }
  }
  std::erase_if(debts_, [](const Debt& debt) { return debt.ids.empty(); });
  std::move(rest.begin(), rest.end(), std::back_inserter(debts_));
}

void Ledger::merge(const Ledger& other) {
  debts_.insert(debts_.end(), other.debts_.begin(), other.debts_.end());
  for (const auto& [filter_class, ids] : other.owed_) owed_[filter_class] |= ids;
}

void Ledger::keep(const Items& wanted) {
  for (Debt& debt : debts_) sync::keep(debt.filter_class, debt.ids, wanted);
  std::erase_if(debts_, [](const Debt& debt) { return debt.ids.empty(); });
  keep_wanted(owed_, wanted);
}

void Ledger::forget(FilterClass filter_class, std::uint32_t id) {
  for (Debt& debt : debts_) {
    if (debt.filter_class == filter_class) debt.ids.remove(id);
  }
  std::erase_if(debts_, [](const Debt& debt) { return debt.ids.empty(); });
  owed_[filter_class].remove(id);
}

ReadValues Ledger::read() const {
  ReadValues read = owed_;
  for (const Debt& debt : debts_) read[debt.filter_class] -= debt.ids;
  return read;
}

ReadValues values_of(const Items& items, bool grasp_server) {
  ReadValues out;
  if (!grasp_server) out[FilterClass::States] = items.repos | items.states;
  for (const FilterClass one : {FilterClass::RepoA, FilterClass::RepoBigA, FilterClass::RepoQ}) {
    out[one] = items.repos;
  }
  for (const FilterClass one : {FilterClass::RootE, FilterClass::RootBigE, FilterClass::RootQ}) {
    out[one] = items.roots;
  }
  return out;
}

Items unread_of(const Items& items, bool grasp_server, const ReadValues& read) {
  Items unread;
  for (const auto& [filter_class, ids] : values_of(items, grasp_server)) {
    const auto at = read.find(filter_class);
    const IdSet missing = at == read.end() ? ids : ids - at->second;
    if (missing.empty()) continue;
    if (request_class(filter_class) == RequestClass::Roots) {
      unread.roots |= missing;
    } else {
      unread.repos |= missing & items.repos;
      unread.states |= missing & items.states;
    }
  }
  return unread;
}

void keep_wanted(ReadValues& values, const Items& wanted) {
  for (auto& [filter_class, ids] : values) keep(filter_class, ids, wanted);
}

}  // namespace graspd::sync
