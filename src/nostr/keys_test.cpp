#include "nostr/keys.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <new>

namespace graspd::nostr {
namespace keys_test {

TEST(SecretKey, LeavesNothingInItsMemory) {
  alignas(SecretKey) std::array<std::uint8_t, sizeof(SecretKey)> memory;
  SecretKey::Bytes bytes;
  bytes.fill(0x5a);
  auto* key = new (memory.data()) SecretKey(bytes);
  ASSERT_EQ(key->bytes(), bytes);
  key->~SecretKey();
  EXPECT_TRUE(std::all_of(memory.begin(), memory.end(), [](auto byte) { return byte == 0; }));
}

TEST(SecretKey, IsWholeAfterACopyOfItDied) {
  SecretKey::Bytes bytes;
  bytes.fill(0x5a);
  const SecretKey key(bytes);
  {
    const SecretKey copy = key;
  }
  EXPECT_EQ(key.bytes(), bytes);
}

TEST(Wipe, TakesOnlyWhatItIsGiven) {
  std::array<std::uint8_t, 4> bytes = {1, 2, 3, 4};
  wipe(std::span(bytes).subspan(1, 2));
  EXPECT_EQ(bytes, (std::array<std::uint8_t, 4>{1, 0, 0, 4}));
  wipe({});
}

}  // namespace keys_test
}  // namespace graspd::nostr
