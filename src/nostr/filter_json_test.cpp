#include "nostr/filter_json.h"

#include <gtest/gtest.h>

#include "nostr/json.h"

namespace graspd::nostr {
namespace filter_json_test {

std::string again(std::string_view text) {
  JsonReader reader;
  const auto filter = reader.filter(text);
  return filter ? to_json(*filter) : filter.error();
}

TEST(FilterJson, IsWhatWasRead) {
  for (const std::string text :
       {R"({})", R"({"kinds":[1,30617]})", R"({"#a":["30617:x:y:z"],"#e":["a","b"],"limit":0})",
        R"({"since":1,"until":2,"limit":3})", R"({"ids":[]})", R"({"#d":["say \"hi\"\n"]})"}) {
    EXPECT_EQ(again(text), text);
  }
}

TEST(FilterJson, WritesKeysAndIdsInHex) {
  const std::string id(64, 'a'), key(64, '1');
  const std::string text = R"({"ids":[")" + id + R"("],"authors":[")" + key + R"("]})";
  EXPECT_EQ(again(text), text);
}

}  // namespace filter_json_test
}  // namespace graspd::nostr
