// An ordered map that is a value: copying it costs nothing, and the copies share what they have in
// common.
//
//   R1  A copy takes constant time. Changing one map never shows in another.
//   R2  After a copy a change takes logarithmic time and memory: the nodes on its way are copied.
//       What only one map can reach is changed in place.
//   R3  Different maps may be read, copied, changed and destroyed by different threads at the same
//       time, also when they are copies of each other. One map is like an int: many may read it, or
//       one may change it.
//   R4  Entries are in the order of their keys.
//   R5  A reference to an entry is valid until the map changes. Where entries are not copied by
//       their bytes, it is valid until that entry changes or goes. Nobody changes a map through a
//       reference after having copied the map: the copy would change too.
#pragma once
#include <functional>
#include <optional>

#include "core/persistent_tree.h"

namespace graspd::core {

template <class Key, class Value, class Less = std::less<>>
class PersistentMap {
  struct KeyOf {
    const Key& operator()(const std::pair<Key, Value>& entry) const { return entry.first; }
  };
  using Tree = persistent::Tree<std::pair<Key, Value>, KeyOf, Less>;

 public:
  using value_type = std::pair<Key, Value>;
  using const_iterator = typename Tree::Iterator;
  using iterator = const_iterator;
  using const_reverse_iterator = std::reverse_iterator<const_iterator>;

  std::size_t size() const { return tree_.size(); }
  bool empty() const { return size() == 0; }

  // nullptr: there is none.
  template <class Probe>
  const Value* find(const Probe& key) const {
    const value_type* found = tree_.find(key);
    return found ? &found->second : nullptr;
  }
  template <class Probe>
  bool contains(const Probe& key) const {
    return tree_.find(key) != nullptr;
  }
  template <class Probe>
  const Value& at(const Probe& key) const {
    const Value* found = find(key);
    CHECK(found);
    return *found;
  }

  // True: it is new.
  bool insert_or_assign(const Key& key, Value value) {
    const auto make = [&] { return value_type(key, std::move(value)); };
    return tree_.insert(key, make, Tree::Known::Replaced).second;
  }
  // A known key keeps its value.
  bool insert(const Key& key, Value value) {
    if (contains(key)) return false;
    return tree_.insert(key, [&] { return value_type(key, std::move(value)); }).second;
  }
  // To be changed (R5).
  Value& operator[](const Key& key) {
    return tree_.insert(key, [&] { return value_type(key, Value()); }).first->second;
  }
  template <class Make>
  Value& find_or_make(const Key& key, const Make& make) {
    return tree_.insert(key, [&] { return value_type(key, make()); }).first->second;
  }
  template <class Probe>
  Value* find_to_change(const Probe& key) {
    value_type* found = tree_.find_to_change(key);
    return found ? &found->second : nullptr;
  }
  template <class Probe>
  bool erase(const Probe& key) {
    return tree_.erase(key);
  }
  template <class Probe>
  std::optional<Value> take(const Probe& key) {
    const Value* found = find(key);
    if (!found) return std::nullopt;
    std::optional<Value> taken = *found;
    tree_.erase(key);
    return taken;
  }
  void clear() { tree_ = {}; }

  const_iterator begin() const { return tree_.begin(); }
  const_iterator end() const { return tree_.end(); }
  const_reverse_iterator rbegin() const { return const_reverse_iterator(end()); }
  const_reverse_iterator rend() const { return const_reverse_iterator(begin()); }
  template <class Probe>
  const_iterator lower_bound(const Probe& key) const {
    return tree_.lower_bound_where([&](const Key& other) { return Less()(other, key); });
  }
  // The first for whose key `before` is false; it is true for all that come first.
  template <class Before>
  const_iterator lower_bound_where(const Before& before) const {
    return tree_.lower_bound_where(before);
  }

  bool operator==(const PersistentMap& other) const {
    return tree_.shares_all_with(other.tree_) ||
           (size() == other.size() && std::equal(begin(), end(), other.begin()));
  }

 private:
  Tree tree_;
};

}  // namespace graspd::core
