// A hash of bytes that strangers choose: whoever does not know the secret cannot find two that
// collide more often than chance. A polynomial over the words, at a secret point.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace graspd::core {

class SecretHash {
 public:
  explicit SecretHash(std::uint64_t secret) : point_(secret % kPrime) {}

  void add(std::uint64_t number);
  void add(std::span<const std::byte> bytes);  // and how many they are
  std::uint64_t value() const;                 // all bits depend on all that was added

 private:
  static constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61) - 1;

  void mix(std::uint64_t below_prime);

  std::uint64_t point_, sum_ = 1;
};

}  // namespace graspd::core
