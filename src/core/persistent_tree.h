// The tree below core/persistent_map.h and core/persistent_set.h, whose rules it keeps: entries in
// leaves, in order; inner nodes with the keys that part their children. Nobody else includes it.
//
// A node or an entry is changed in place when it is reachable from one tree only. Whether it is can
// be told on the way down: a node that others share is copied first, and the copy shares its
// children with the original.
#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/check.h"

namespace graspd::core::persistent {

// Of something that is shared, with the number of its owners in it.
template <class Shared>
class Ref {
 public:
  Ref() = default;
  explicit Ref(Shared* fresh) : at_(fresh) {}
  Ref(const Ref& other) : at_(other.at_) {
    if (at_) at_->owners.fetch_add(1, std::memory_order_relaxed);
  }
  Ref(Ref&& other) noexcept : at_(std::exchange(other.at_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(at_, other.at_);
    return *this;
  }
  ~Ref() {
    if (at_ && at_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) delete at_;
  }

  // What others did with it happened before, when they are gone.
  bool is_shared() const { return at_->owners.load(std::memory_order_acquire) != 1; }
  // Of this owner alone from now on.
  Shared& own() {
    if (is_shared()) *this = Ref(new Shared(*at_));
    return *at_;
  }

  explicit operator bool() const { return at_ != nullptr; }
  Shared& operator*() const { return *at_; }
  Shared* operator->() const { return at_; }
  bool operator==(const Ref& other) const { return at_ == other.at_; }

 private:
  Shared* at_ = nullptr;
};

struct Owners {
  Owners() = default;
  Owners(const Owners&) : owners(1) {}  // a copy is a new thing
  Owners& operator=(const Owners&) = delete;
  std::atomic<std::uint32_t> owners{1};
};

// Entries that are copied by their bytes lie in the leaves; others beside them, so that copying a
// leaf copies none and an entry keeps its address while its neighbours come and go.
template <class Entry>
inline constexpr bool kLiesInLeaf =
    std::is_trivially_copy_constructible_v<Entry> && std::is_trivially_destructible_v<Entry> &&
    sizeof(Entry) <= 16 * sizeof(std::uint64_t);

template <class Entry>
struct Boxed : Owners {
  explicit Boxed(Entry with) : entry(std::move(with)) {}
  Entry entry;
};

// `KeyOf` tells the key of an entry.
template <class Entry, class KeyOf, class Less>
class Tree {
  using Key = std::remove_cvref_t<std::invoke_result_t<KeyOf, const Entry&>>;
  static constexpr bool kInLeaf = kLiesInLeaf<Entry>;
  using Slot = std::conditional_t<kInLeaf, Entry, Ref<Boxed<Entry>>>;
  // A leaf is copied as a whole: half a kilobyte of entries, or as many references.
  static constexpr std::size_t kInLeafMax =
      kInLeaf ? std::clamp<std::size_t>(512 / sizeof(Entry), 8, 64) : 16;
  static constexpr std::size_t kChildrenMax = 16;
  static constexpr std::size_t kDepthMax = 16;  // nodes have a quarter of their children at least

  struct Node : Owners {
    std::vector<Slot> slots;          // of a leaf
    std::vector<Key> keys;            // keys[i] <= all below children[i + 1], > all before
    std::vector<Ref<Node>> children;  // none: it is a leaf

    bool is_leaf() const { return children.empty(); }
    std::size_t fill() const { return is_leaf() ? slots.size() : children.size(); }
    bool is_over() const { return fill() > (is_leaf() ? kInLeafMax : kChildrenMax); }
    bool is_under() const { return fill() < (is_leaf() ? kInLeafMax : kChildrenMax) / 4; }
  };

 public:
  class Iterator;

  std::size_t size() const { return size_; }
  bool shares_all_with(const Tree& other) const { return root_ == other.root_; }

  template <class Probe>
  const Entry* find(const Probe& key) const {
    if (!root_) return nullptr;
    const Node* at = &*root_;
    while (!at->is_leaf()) at = &*at->children[child_of(*at, key)];
    const std::size_t i = position(*at, key);
    return is_at(*at, i, key) ? &entry(at->slots[i]) : nullptr;
  }

  // The entry of this key, to be changed; `make` makes it when there is none. True: it was made.
  // What is replaced is made too, and not copied before.
  enum class Known { Kept, Replaced };
  template <class Probe, class Make>
  std::pair<Entry*, bool> insert(const Probe& key, const Make& make, Known known = Known::Kept) {
    if (!root_) root_ = Ref<Node>(new Node);
    Inserted done{nullptr, false, known};
    if (auto right = insert_below(root_, key, make, done)) {
      Ref<Node> above(new Node);
      above->keys.push_back(std::move(right->first));
      above->children.push_back(std::move(root_));
      above->children.push_back(std::move(right->second));
      root_ = std::move(above);
    }
    size_ += done.is_new ? 1 : 0;
    return {done.entry, done.is_new};
  }

  // To be changed; nullptr: there is none, and nothing was copied.
  template <class Probe>
  Entry* find_to_change(const Probe& key) {
    if (!find(key)) return nullptr;
    Ref<Node>* at = &root_;
    while (!at->own().is_leaf()) at = &(*at)->children[child_of(**at, key)];
    return &own_entry((*at)->slots[position(**at, key)]);
  }

  template <class Probe>
  bool erase(const Probe& key) {
    if (!find(key)) return false;
    erase_below(root_, key);
    while (root_->children.size() == 1) root_ = Ref<Node>(root_->children.front());
    if (root_->fill() == 0) root_ = {};
    --size_;
    return true;
  }

  Iterator begin() const { return Iterator::first(*this); }
  Iterator end() const { return Iterator::past(*this); }
  // The first entry that does not come before; those that do come first.
  template <class Before>
  Iterator lower_bound_where(const Before& before) const {
    return Iterator::at_bound(*this, before);
  }

  class Iterator {
   public:
    using iterator_category = std::bidirectional_iterator_tag;
    using value_type = Entry;
    using difference_type = std::ptrdiff_t;
    using pointer = const Entry*;
    using reference = const Entry&;

    Iterator() = default;
    reference operator*() const { return entry(leaf()->slots[index()]); }
    pointer operator->() const { return &**this; }
    Iterator& operator++() {
      ++path_[depth_ - 1].index;
      skip_end_of_leaf();
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++*this;
      return before;
    }
    Iterator& operator--() {
      std::size_t level = depth_ - 1;
      while (path_[level].index == 0) --level;
      --path_[level].index;
      for (; level + 1 < depth_; ++level) enter(level + 1, child_at(level), true);
      return *this;
    }
    Iterator operator--(int) {
      Iterator before = *this;
      --*this;
      return before;
    }
    bool operator==(const Iterator& other) const {
      return depth_ == other.depth_ &&
             (depth_ == 0 || (leaf() == other.leaf() && index() == other.index()));
    }

   private:
    friend class Tree;
    struct Step {
      const Node* node;
      std::size_t index;
    };

    static Iterator first(const Tree& tree) {
      return at_bound(tree, [](const Key&) { return false; });
    }
    static Iterator past(const Tree& tree) {
      return at_bound(tree, [](const Key&) { return true; });
    }
    template <class Before>
    static Iterator at_bound(const Tree& tree, const Before& before) {
      Iterator at;
      if (!tree.root_) return at;
      for (const Node* node = &*tree.root_;; node = at.child_at(at.depth_ - 1)) {
        CHECK(at.depth_ < kDepthMax);
        at.path_[at.depth_++] = {node, bound(*node, before)};
        if (node->is_leaf()) break;
      }
      at.skip_end_of_leaf();
      return at;
    }
    template <class Before>
    static std::size_t bound(const Node& node, const Before& before) {
      if (!node.is_leaf())
        return static_cast<std::size_t>(std::ranges::partition_point(node.keys, before) -
                                        node.keys.begin());
      const auto is_before = [&](const Slot& slot) { return before(key_of(slot)); };
      return static_cast<std::size_t>(std::ranges::partition_point(node.slots, is_before) -
                                      node.slots.begin());
    }

    const Node* leaf() const { return path_[depth_ - 1].node; }
    std::size_t index() const { return path_[depth_ - 1].index; }
    const Node* child_at(std::size_t level) const {
      return &*path_[level].node->children[path_[level].index];
    }
    void enter(std::size_t level, const Node* node, bool at_end) {
      const std::size_t last = node->fill() - 1;
      path_[level] = {node, at_end ? last : 0};
    }
    // At the end of the last leaf it stays: that is the end.
    void skip_end_of_leaf() {
      if (index() < leaf()->slots.size() || depth_ == 1) return;
      std::size_t level = depth_ - 2;
      while (path_[level].index + 1 == path_[level].node->children.size())
        if (level-- == 0) return;
      ++path_[level].index;
      for (; level + 1 < depth_; ++level) enter(level + 1, child_at(level), false);
    }

    std::array<Step, kDepthMax> path_;
    std::size_t depth_ = 0;
  };

 private:
  struct Inserted {
    Entry* entry = nullptr;
    bool is_new = false;
    Known known = Known::Kept;
  };
  using Split = std::optional<std::pair<Key, Ref<Node>>>;

  static const Entry& entry(const Slot& slot) {
    if constexpr (kInLeaf)
      return slot;
    else
      return slot->entry;
  }
  static Entry& own_entry(Slot& slot) {
    if constexpr (kInLeaf)
      return slot;
    else
      return slot.own().entry;
  }
  static Slot make_slot(Entry entry) {
    if constexpr (kInLeaf)
      return entry;
    else
      return Slot(new Boxed<Entry>(std::move(entry)));
  }
  static const Key& key_of(const Slot& slot) { return KeyOf()(entry(slot)); }

  template <class Probe>
  static std::size_t child_of(const Node& node, const Probe& key) {
    const auto after = std::partition_point(node.keys.begin(), node.keys.end(),
                                            [&](const Key& part) { return !Less()(key, part); });
    return static_cast<std::size_t>(after - node.keys.begin());
  }
  template <class Probe>
  static std::size_t position(const Node& leaf, const Probe& key) {
    const auto at =
        std::partition_point(leaf.slots.begin(), leaf.slots.end(),
                             [&](const Slot& slot) { return Less()(key_of(slot), key); });
    return static_cast<std::size_t>(at - leaf.slots.begin());
  }
  template <class Probe>
  static bool is_at(const Node& leaf, std::size_t i, const Probe& key) {
    return i < leaf.slots.size() && !Less()(key, key_of(leaf.slots[i]));
  }

  template <class Probe, class Make>
  static Split insert_below(Ref<Node>& at, const Probe& key, const Make& make, Inserted& done) {
    Node& node = at.own();
    if (node.is_leaf()) return insert_into_leaf(node, key, make, done);
    const std::size_t i = child_of(node, key);
    auto right = insert_below(node.children[i], key, make, done);
    if (!right) return std::nullopt;
    node.keys.insert(node.keys.begin() + offset(i), std::move(right->first));
    node.children.insert(node.children.begin() + offset(i + 1), std::move(right->second));
    return node.is_over() ? split(node) : std::nullopt;
  }

  template <class Probe, class Make>
  static Split insert_into_leaf(Node& leaf, const Probe& key, const Make& make, Inserted& done) {
    std::size_t i = position(leaf, key);
    done.is_new = !is_at(leaf, i, key);
    if (done.is_new)
      leaf.slots.insert(leaf.slots.begin() + offset(i), make_slot(make()));
    else if (done.known == Known::Replaced)
      leaf.slots[i] = make_slot(make());
    Split right = leaf.is_over() ? split(leaf) : std::nullopt;
    Node& home = i < leaf.slots.size() ? leaf : *right->second;
    if (i >= leaf.slots.size()) i -= leaf.slots.size();
    done.entry = &own_entry(home.slots[i]);
    return right;
  }

  // The upper half leaves, with the key that parts it from the rest.
  static Split split(Node& node) {
    Ref<Node> right(new Node);
    const std::size_t half = node.fill() / 2;
    if (node.is_leaf()) {
      move_tail(node.slots, half, right->slots);
      return std::pair(Key(key_of(right->slots.front())), std::move(right));
    }
    move_tail(node.children, half, right->children);
    move_tail(node.keys, half, right->keys);
    Key parting = std::move(node.keys.back());
    node.keys.pop_back();
    return std::pair(std::move(parting), std::move(right));
  }

  template <class Probe>
  static void erase_below(Ref<Node>& at, const Probe& key) {
    Node& node = at.own();
    if (node.is_leaf()) {
      node.slots.erase(node.slots.begin() + offset(position(node, key)));
      return;
    }
    const std::size_t i = child_of(node, key);
    erase_below(node.children[i], key);
    if (node.children[i]->is_under() && node.children.size() > 1) join(node, i > 0 ? i - 1 : 0);
  }

  // A child and the one after it become one, or two of the same size.
  static void join(Node& node, std::size_t i) {
    Node& left = node.children[i].own();
    Node& right = node.children[i + 1].own();
    if (!left.is_leaf()) left.keys.push_back(std::move(node.keys[i]));
    move_tail(right.slots, 0, left.slots);
    move_tail(right.keys, 0, left.keys);
    move_tail(right.children, 0, left.children);
    node.keys.erase(node.keys.begin() + offset(i));
    node.children.erase(node.children.begin() + offset(i + 1));
    if (!left.is_over()) return;
    auto parted = split(left);
    node.keys.insert(node.keys.begin() + offset(i), std::move(parted->first));
    node.children.insert(node.children.begin() + offset(i + 1), std::move(parted->second));
  }

  template <class Item>
  static void move_tail(std::vector<Item>& from, std::size_t first, std::vector<Item>& to) {
    to.insert(to.end(), std::move_iterator(from.begin() + offset(first)),
              std::move_iterator(from.end()));
    from.erase(from.begin() + offset(first), from.end());
  }
  static std::ptrdiff_t offset(std::size_t index) { return static_cast<std::ptrdiff_t>(index); }

  Ref<Node> root_;
  std::size_t size_ = 0;
};

}  // namespace graspd::core::persistent
