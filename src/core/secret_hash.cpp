#include "core/secret_hash.h"

#include <algorithm>
#include <cstring>

namespace graspd::core {

void SecretHash::mix(std::uint64_t below_prime) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(sum_) * point_ + below_prime;
  const std::uint64_t folded =
      static_cast<std::uint64_t>(product & kPrime) + static_cast<std::uint64_t>(product >> 61);
  sum_ = folded >= kPrime ? folded - kPrime : folded;
}

void SecretHash::add(std::uint64_t number) {
  mix(number & 0xffff'ffff);
  mix(number >> 32);
}

void SecretHash::add(std::span<const std::byte> bytes) {
  constexpr std::size_t kWord = 7;  // the largest that stays below the prime
  mix(bytes.size());
  for (std::size_t at = 0; at < bytes.size(); at += kWord) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min(kWord, bytes.size() - at));
    mix(word);
  }
}

// Tables look at the low bits only.
std::uint64_t SecretHash::value() const {
  const std::uint64_t mixed = (sum_ ^ (sum_ >> 32)) * 0x9e3779b97f4a7c15ULL;
  return mixed ^ (mixed >> 29);
}

}  // namespace graspd::core
