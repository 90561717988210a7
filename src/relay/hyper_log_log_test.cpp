#include "relay/hyper_log_log.h"

#include <gtest/gtest.h>

namespace graspd::relay {
namespace hyper_log_log_test {

nostr::PublicKey key_with(std::size_t at, std::initializer_list<std::uint8_t> bytes) {
  nostr::PublicKey::Bytes key{};
  key.fill(0xff);
  std::copy(bytes.begin(), bytes.end(), key.begin() + static_cast<long>(at));
  return nostr::PublicKey(key);
}

std::string register_at(const HyperLogLog& hll, std::size_t index) {
  return hll.hex().substr(2 * index, 2);
}

TEST(HyperLogLog, StartsEmpty) { EXPECT_EQ(HyperLogLog(8).hex(), std::string(512, '0')); }

TEST(HyperLogLog, CountsLeadingZerosBehindTheRegisterByte) {
  HyperLogLog hll(8);
  hll.add(key_with(8, {0x05, 0x01}));        // seven zeros, plus one
  hll.add(key_with(8, {0x06, 0x00, 0x80}));  // eight zeros, plus one
  hll.add(key_with(8, {0x07, 0xff}));        // none, plus one
  EXPECT_EQ(register_at(hll, 5), "08");
  EXPECT_EQ(register_at(hll, 6), "09");
  EXPECT_EQ(register_at(hll, 7), "01");
}

TEST(HyperLogLog, KeepsTheLargest) {
  HyperLogLog hll(23);
  hll.add(key_with(23, {0x01, 0x10}));
  hll.add(key_with(23, {0x01, 0x80}));
  EXPECT_EQ(register_at(hll, 1), "04");
}

}  // namespace hyper_log_log_test
}  // namespace graspd::relay
