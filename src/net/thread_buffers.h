// What the connections of one network thread share, so that an idle one holds no memory for it.
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace graspd::net {

// Written by its network thread, read by any.
class Meter {
 public:
  void add(std::uint64_t amount) {
    value_.store(value_.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
  }
  std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_ = 0;
};

struct ThreadBuffers {
  // One system call fetches this much; about a hundred events.
  static constexpr std::size_t kReceiveBytes = 64 * 1024;
  // Spare outbound buffers beyond these go back to the allocator.
  static constexpr std::size_t kSpares = 32;
  static constexpr std::size_t kSpareBytes = 256 * 1024;

  std::array<char, kReceiveBytes> received;
  std::vector<std::string> spares;
  Meter flushes, receives, bytes_in, bytes_out;

  std::string take_spare() {
    if (spares.empty()) return {};
    std::string spare = std::move(spares.back());
    spares.pop_back();
    return spare;
  }

  void give_back(std::string spare) {
    if (spares.size() == kSpares || spare.capacity() > kSpareBytes) return;
    spare.clear();
    spares.push_back(std::move(spare));
  }
};

}  // namespace graspd::net
