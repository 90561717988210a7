// A number that any thread may change and read; metrics/ exports it.
#pragma once
#include <atomic>
#include <cstdint>

namespace graspd::serve {

class Number {
 public:
  void operator+=(std::uint64_t by) { value_.fetch_add(by, std::memory_order_relaxed); }
  void operator-=(std::uint64_t by) { value_.fetch_sub(by, std::memory_order_relaxed); }
  std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

}  // namespace graspd::serve
