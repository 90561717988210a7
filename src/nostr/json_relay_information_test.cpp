#include <gtest/gtest.h>

#include "nostr/json.h"

namespace graspd::nostr {
namespace json_relay_information_test {

TEST(RelayInformation, IsReadFromItsDocument) {
  JsonReader reader;
  const auto read = reader.relay_information(
      R"({"name":"x","software":"git+https://example.org/r","supported_nips":[1,11,77,"34"],)"
      R"("supported_grasps":["GRASP-01","GRASP-02"],"icon":null,"nested":{"a":[{"b":1}]},)"
      R"("limitation":{"max_subscriptions":20,"max_message_length":131072,"max_limit":500,)"
      R"("auth_required":false}})");
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->software, "git+https://example.org/r");
  EXPECT_EQ(read->supported_nips, (std::vector<int>{1, 11, 77}));
  EXPECT_EQ(read->supported_grasps, (std::vector<std::string>{"GRASP-01", "GRASP-02"}));
  EXPECT_EQ(read->max_subscriptions, 20u);
  EXPECT_EQ(read->max_message_length, 131072u);
  EXPECT_EQ(read->max_limit, 500u);
}

TEST(RelayInformation, TakesAMemberOfAnotherTypeForNotSaid) {
  JsonReader reader;
  const auto read = reader.relay_information(
      R"({"software":null,"supported_nips":"all","supported_grasps":{},"limitation":[],)"
      R"("max_limit":3})");
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->software, "");
  EXPECT_TRUE(read->supported_grasps.empty());
  EXPECT_FALSE(read->max_limit);
  EXPECT_FALSE(reader.relay_information(R"({"limitation":{"max_limit":-1}})")->max_limit);
  EXPECT_FALSE(reader.relay_information(R"({"limitation":{"max_limit":1.5}})")->max_limit);
}

TEST(RelayInformation, RefusesWhatIsNoObject) {
  JsonReader reader;
  EXPECT_FALSE(reader.relay_information("<html>"));
  EXPECT_FALSE(reader.relay_information("[]"));
  EXPECT_FALSE(reader.relay_information(R"({"a":1} {"b":2})"));
  EXPECT_FALSE(reader.relay_information(R"({"a":})"));
}

}  // namespace json_relay_information_test
}  // namespace graspd::nostr
