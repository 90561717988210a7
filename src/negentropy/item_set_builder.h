// Makes a set of what a store answers: newest first, in one second the lowest id first.
//
//   R1  Linear: items are put in order and summed soon after they came, while they are at hand.
//   R2  Any other order, or repeats, give the right set too; they cost a sort.
//   R3  The set holds memory for its items, however many there might have been.
#pragma once
#include <algorithm>

#include "negentropy/item_set.h"

namespace graspd::negentropy {

class ItemSetBuilder {
 public:
  // `memory` outlives the set.
  explicit ItemSetBuilder(std::size_t items_max,
                          std::pmr::memory_resource* memory = std::pmr::get_default_resource())
      : items_max_(items_max), items_(memory), sums_(memory) {
    items_.reserve(std::min(items_max, kFew));
  }

  void add(const Item& item) {
    if (item.timestamp == kInfinity) return;
    items_.push_back(item);
    if (items_.size() == settle_at_) settle_whole_seconds();
  }
  ItemSet finish() &&;

 private:
  // Most sets are small. One that is not gets space for all there may be, once: space that is not
  // written to is address space and not memory.
  static constexpr std::size_t kFew = 4'096;
  // Reading an item in the moment it is written is slow, reading it from the first-level cache not.
  static constexpr std::size_t kTogether = 256;

  void make_space();
  void give_space_back();
  void settle_whole_seconds();
  void settle_to(std::size_t end);
  void put_second_in_order(std::size_t end);

  const std::size_t items_max_;
  Items items_;  // newest first
  std::size_t settled_ = 0, settle_at_ = kTogether;
  IdSums sums_;
  bool in_order_ = true;
};

}  // namespace graspd::negentropy
