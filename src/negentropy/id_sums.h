// Running sums of ids, for the fingerprints of ranges.
//
//   R1  A sum is kept after every kStride-th id: any other is at most kStride - 1 additions away,
//       for 1/kStride of the memory.
#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory_resource>
#include <vector>

namespace graspd::negentropy {

using Id = std::array<std::uint8_t, 32>;
using IdSum = std::array<std::uint64_t, 4>;  // little-endian limbs, modulo 2^256

// Ids are summed as they lie in memory.
static_assert(std::endian::native == std::endian::little);

inline void add(IdSum& sum, const Id& id) {
  std::uint64_t carry = 0;
#pragma GCC unroll 4
  for (std::size_t i = 0; i < sum.size(); ++i) {
    std::uint64_t limb = 0;
    std::memcpy(&limb, &id[i * sizeof limb], sizeof limb);
    const std::uint64_t with_carry = limb + carry;
    carry = with_carry < carry;
    sum[i] += with_carry;
    carry += sum[i] < with_carry;
  }
}

class IdSums {
 public:
  static constexpr std::size_t kStride = 16;

  IdSums() = default;
  explicit IdSums(std::pmr::memory_resource* memory) : kept_(memory) {}

  void reserve(std::size_t ids) { kept_.reserve(ids / kStride); }
  void shrink_to_fit() { kept_.shrink_to_fit(); }
  void add(const Id& id) {
    negentropy::add(last_, id);
    if (++count_ % kStride == 0) kept_.push_back(last_);
  }

  struct Kept {
    std::size_t ids = 0;  // how many of the first are in it
    IdSum sum{};
  };
  // The last one kept of the first `ids` or fewer.
  Kept up_to(std::size_t ids) const {
    const std::size_t strides = ids / kStride;
    return strides == 0 ? Kept() : Kept{strides * kStride, kept_[strides - 1]};
  }
  std::size_t memory_bytes() const { return kept_.capacity() * sizeof(IdSum); }

 private:
  std::pmr::vector<IdSum> kept_;
  IdSum last_{};
  std::size_t count_ = 0;
};

}  // namespace graspd::negentropy
