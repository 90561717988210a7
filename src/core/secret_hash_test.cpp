#include "core/secret_hash.h"

#include <gtest/gtest.h>
#include <set>
#include <string>

namespace graspd::core {
namespace secret_hash_test {

std::uint64_t hash_of(const std::string& text, std::uint64_t secret = 0x1234'5678'9abc'def0) {
  SecretHash hash(secret);
  hash.add(std::as_bytes(std::span(text)));
  return hash.value();
}

TEST(SecretHash, TellsTextsApartInTheirLowBits) {
  std::set<std::uint64_t> low;
  for (int i = 0; i < 1000; ++i) low.insert(hash_of("repository-" + std::to_string(i)) & 0xfffff);
  EXPECT_GT(low.size(), 990u);
}

TEST(SecretHash, CountsEveryByteAndTheirNumber) {
  EXPECT_EQ(hash_of("project"), hash_of("project"));
  EXPECT_NE(hash_of("project"), hash_of("projecu"));
  EXPECT_NE(hash_of("a"), hash_of(std::string("a\0", 2)));
  EXPECT_NE(hash_of(""), hash_of(std::string(1, '\0')));
  EXPECT_NE(hash_of(std::string(14, 'x')), hash_of(std::string(15, 'x')));
}

TEST(SecretHash, DiffersFromSecretToSecret) {
  EXPECT_NE(hash_of("project", 1), hash_of("project", 2));
}

}  // namespace secret_hash_test
}  // namespace graspd::core
