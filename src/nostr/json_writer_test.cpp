#include "nostr/json_writer.h"

#include <gtest/gtest.h>
#include <vector>

namespace graspd::nostr {
namespace json_writer_test {

TEST(JsonWriter, PutsCommasBetweenValuesAndNowhereElse) {
  std::string text = "before ";
  JsonWriter json(text);
  json.open('{').field("a", 1).key("b").list(std::vector<std::string>{"x", "y"});
  json.key("c").open('[').close(']').key("d").open('{').close('}').close('}');
  EXPECT_EQ(text, R"(before {"a":1,"b":["x","y"],"c":[],"d":{}})");
}

TEST(JsonWriter, WritesEveryTypeAsJsonDoes) {
  std::string text;
  JsonWriter json(text);
  json.open('[').put("quote \" and\nline");
  json.put(true);
  json.put(std::optional<int>());
  json.put(0.5);
  json.close(']');
  EXPECT_EQ(text, R"(["quote \" and\nline",true,null,0.5000])");
}

}  // namespace json_writer_test
}  // namespace graspd::nostr
