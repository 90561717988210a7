// The yardstick: BIP-340 checks by the library alone, in a loop with nothing else in it.
#pragma once
#include <cstddef>
#include <vector>

#include "load/corpus.h"

namespace graspd::load {

struct BareRate {
  double checks_per_second = 0;  // of all threads together, by the wall clock
  double cpu_per_check = 0;      // seconds
};

class BareCheck {
 public:
  explicit BareCheck(const Corpus& corpus);
  // Parses the key and checks the signature, over and over.
  BareRate measure(std::size_t threads, double seconds) const;

 private:
  struct Signed {
    std::array<unsigned char, 32> id, key;
    std::array<unsigned char, 64> signature;
  };
  std::size_t check_for(double seconds) const;

  std::vector<Signed> samples_;
};

}  // namespace graspd::load
