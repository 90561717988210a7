#include "core/sha256.h"

#include <gtest/gtest.h>
#include <thread>

#include "core/hex.h"

namespace graspd::core {
namespace sha256_test {

constexpr auto kEmpty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
constexpr auto kAbc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

TEST(Sha256, GivesThePublishedDigests) {
  EXPECT_EQ(encode_hex(sha256("")), kEmpty);
  EXPECT_EQ(encode_hex(sha256("abc")), kAbc);
  EXPECT_EQ(encode_hex(sha256(std::string(1'000'000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, HashesBytesAsItHashesText) {
  const std::vector<std::uint8_t> bytes = {'a', 'b', 'c'};
  EXPECT_EQ(encode_hex(sha256(bytes)), kAbc);
  EXPECT_EQ(encode_hex(sha256(std::vector<std::uint8_t>{})), kEmpty);
}

TEST(Sha256, HashesPartsAsTheirConcatenation) {
  EXPECT_EQ(encode_hex(sha256({"a", "", "bc"})), kAbc);
  EXPECT_NE(sha256({"a", "b"}), sha256({"a", "c"}));
}

TEST(Sha256, WorksOnEveryThread) {
  std::string digest;
  std::thread([&] { digest = encode_hex(sha256("abc")); }).join();
  EXPECT_EQ(digest, kAbc);
}

}  // namespace sha256_test
}  // namespace graspd::core
