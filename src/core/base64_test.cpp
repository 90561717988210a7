#include "core/base64.h"

#include <gtest/gtest.h>

namespace graspd::core {
namespace base64_test {

TEST(Base64, KnowsTheExamplesOfItsSpecification) {
  const std::pair<std::string, std::string> examples[] = {{"", ""},
                                                          {"f", "Zg=="},
                                                          {"fo", "Zm8="},
                                                          {"foo", "Zm9v"},
                                                          {"foob", "Zm9vYg=="},
                                                          {"fooba", "Zm9vYmE="},
                                                          {"foobar", "Zm9vYmFy"}};
  for (const auto& [plain, encoded] : examples) {
    EXPECT_EQ(encode_base64(plain), encoded);
    EXPECT_EQ(decode_base64(encoded), plain);
  }
}

TEST(Base64, CarriesEveryByte) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  for (std::size_t size = 0; size <= all.size(); ++size)
    EXPECT_EQ(decode_base64(encode_base64(all.substr(0, size))), all.substr(0, size));
}

TEST(Base64, TakesOnlyTheRightSpelling) {
  for (const char* wrong :
       {"Zg", "Zg=", "Zh==", "Zm9=", "Z===", "====", "=", "Zm 9v", "Zm9v\n", "Zm-_", "Zg==Zg=="})
    EXPECT_EQ(decode_base64(wrong), std::nullopt) << wrong;
}

}  // namespace base64_test
}  // namespace graspd::core
