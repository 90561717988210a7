// What was computed from a value that does not change, by whoever asked first.
//
//   R1  All copies of the value share it, and several threads may ask and put at the same time.
//   R2  Nothing is ever taken out: what was found stays as long as the memo. Two who compute the
//       same at once put it twice, and either answer is right.
//   R3  The owner of the value makes a new memo when the value changes. Those who still put into
//       the old one harm nobody.
#pragma once
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace graspd::grasp {

// By number. Entries come before the first of their list, and readers follow the lists.
template <class Value>
class Memo {
 public:
  using Number = std::uint64_t;

  explicit Memo(std::size_t expected)
      : lists_(std::bit_ceil(std::clamp<std::size_t>(expected / 2, 1, kListsMax))) {}
  Memo(const Memo&) = delete;
  Memo& operator=(const Memo&) = delete;
  ~Memo() {
    for (const auto& list : lists_)
      for (const Entry* at = list.load(); at;) delete std::exchange(at, at->next);
  }

  const Value* find(Number number) const {
    for (const Entry* at = list_of(number).load(std::memory_order_acquire); at; at = at->next)
      if (at->number == number) return at->value.get();
    return nullptr;
  }
  const Value& put(Number number, std::shared_ptr<const Value> value) {
    auto* fresh = new Entry{number, std::move(value), nullptr};
    const Value& kept = *fresh->value;
    auto& list = list_of(number);
    fresh->next = list.load(std::memory_order_relaxed);
    while (!list.compare_exchange_weak(fresh->next, fresh, std::memory_order_acq_rel)) {
    }
    size_.fetch_add(1, std::memory_order_relaxed);
    return kept;
  }
  template <class Visit>
  void each(const Visit& visit) const {
    for (const auto& list : lists_)
      for (const Entry* at = list.load(std::memory_order_acquire); at; at = at->next)
        visit(at->number, at->value);
  }
  std::size_t size() const { return size_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::size_t kListsMax = 1'024;  // eight kilobytes
  struct Entry {
    Number number;
    std::shared_ptr<const Value> value;
    const Entry* next;
  };
  const std::atomic<const Entry*>& list_of(Number number) const {
    return lists_[number & (lists_.size() - 1)];
  }
  std::atomic<const Entry*>& list_of(Number number) { return lists_[number & (lists_.size() - 1)]; }

  std::vector<std::atomic<const Entry*>> lists_;
  std::atomic<std::size_t> size_ = 0;
};

}  // namespace graspd::grasp
