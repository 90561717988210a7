// An ordered set that is a value: copying it costs nothing. The rules are those of
// core/persistent_map.h.
#pragma once
#include <functional>

#include "core/persistent_tree.h"

namespace graspd::core {

template <class Item, class Less = std::less<>>
class PersistentSet {
  struct KeyOf {
    const Item& operator()(const Item& item) const { return item; }
  };
  using Tree = persistent::Tree<Item, KeyOf, Less>;

 public:
  using value_type = Item;
  using const_iterator = typename Tree::Iterator;
  using iterator = const_iterator;
  using const_reverse_iterator = std::reverse_iterator<const_iterator>;

  std::size_t size() const { return tree_.size(); }
  bool empty() const { return size() == 0; }
  template <class Probe>
  bool contains(const Probe& item) const {
    return tree_.find(item) != nullptr;
  }

  // True: it is new.
  bool insert(Item item) {
    if (contains(item)) return false;
    return tree_.insert(item, [&] { return Item(item); }).second;
  }
  template <class Probe>
  bool erase(const Probe& item) {
    return tree_.erase(item);
  }
  void clear() { tree_ = {}; }

  const_iterator begin() const { return tree_.begin(); }
  const_iterator end() const { return tree_.end(); }
  const_reverse_iterator rbegin() const { return const_reverse_iterator(end()); }
  const_reverse_iterator rend() const { return const_reverse_iterator(begin()); }
  template <class Probe>
  const_iterator lower_bound(const Probe& item) const {
    return tree_.lower_bound_where([&](const Item& other) { return Less()(other, item); });
  }
  // The first for which `before` is false; it is true for all that come first.
  template <class Before>
  const_iterator lower_bound_where(const Before& before) const {
    return tree_.lower_bound_where(before);
  }

  bool operator==(const PersistentSet& other) const {
    return tree_.shares_all_with(other.tree_) ||
           (size() == other.size() && std::equal(begin(), end(), other.begin()));
  }

 private:
  Tree tree_;
};

}  // namespace graspd::core
