// What a batch has to read, and what of it was read: its items are confirmed when nothing is owed
// any more (sync.md §6.4).
//
//   R1  Debts come from the items; payments come from requests that delivered everything they
//       promised. They meet only here, so a request that was forgotten, narrowed or split wrongly
//       leaves a debt instead of a silent gap.
//   R2  A debt is some values of one class of filters over a span of time; paying a part of it
//       leaves the rest.
#pragma once
#include <map>
#include <vector>

#include "sync/slices.h"
#include "sync/window.h"

namespace graspd::sync {

// Values by class: what was read, over all time.
using ReadValues = std::map<FilterClass, IdSet>;

class Ledger {
 public:
  struct Debt {
    FilterClass filter_class = FilterClass::Announcements;
    IdSet ids;  // of L1: {0}
    Window window;
  };

  void owe(FilterClass filter_class, const IdSet& ids, Window window);
  void owe(const Slice& slice, Window window);
  void pay(const Slice& slice, Window window);
  void merge(const Ledger& other);
  // Values that are not wanted any more are neither owed nor read.
  void keep(const Items& wanted);
  void forget(FilterClass filter_class, std::uint32_t id);  // the same of one value

  bool is_paid() const { return debts_.empty(); }
  const std::vector<Debt>& debts() const { return debts_; }
  const ReadValues& owed() const { return owed_; }  // all that ever was
  // The same without what still is.
  ReadValues read() const;

 private:
  std::vector<Debt> debts_;
  ReadValues owed_;
};

// What is to be read for these items, by class; without L1.
ReadValues values_of(const Items& items, bool grasp_server);
// Those of the items of which not all that it takes was read.
Items unread_of(const Items& items, bool grasp_server, const ReadValues& read);
void keep_wanted(ReadValues& values, const Items& wanted);

}  // namespace graspd::sync
