// Finds the few bytes of a text that need attention, eight at a time.
//
// A mark is a word whose high bits stand at bytes of interest. The lowest one is exact; those
// above it may be false, because a subtraction borrows upwards. So only the first is ever used.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>

namespace graspd::nostr::scan {

static_assert(std::endian::native == std::endian::little, "the first byte must be the lowest");

inline constexpr std::uint64_t kOnes = 0x0101010101010101, kHighs = 0x8080808080808080;

inline std::uint64_t load(const char* eight_bytes) {
  std::uint64_t word;
  std::memcpy(&word, eight_bytes, sizeof word);
  return word;
}
inline std::uint64_t mark_below(std::uint64_t word, std::uint8_t bound) {  // bound <= 0x80
  return (word - kOnes * bound) & ~word & kHighs;
}
inline std::uint64_t mark_equal(std::uint64_t word, char c) {
  return mark_below(word ^ (kOnes * static_cast<std::uint8_t>(c)), 1);
}
inline unsigned first(std::uint64_t marks) {
  return static_cast<unsigned>(std::countr_zero(marks)) / 8;
}

}  // namespace graspd::nostr::scan
