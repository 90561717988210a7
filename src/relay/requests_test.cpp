#include "relay/requests.h"

#include <gtest/gtest.h>

namespace graspd::relay {
namespace requests_test {

// The last of them.
template <class T>
std::optional<T> find(const Actions& actions) {
  std::optional<T> found;
  for (const auto& action : actions)
    if (auto* match = std::get_if<T>(&action)) found = *match;
  return found;
}

struct RequestsTest : testing::Test {
  RequestsTest() { limits.filters_per_request = 2; }

  Handle request(const std::string& name) {
    Actions actions;
    requests.open({name, {{}}}, 100, actions);
    return find<Listen>(actions)->subscription;
  }
  Actions say_count(const std::string& name, std::size_t filters = 1) {
    Actions actions;
    requests.count({name, std::vector<nostr::Filter>(filters), std::nullopt}, 100, actions);
    return actions;
  }
  Handle count(const std::string& name) { return find<Count>(say_count(name))->query; }
  std::string answer(Handle query) {
    Actions actions;
    requests.counted({query, 5, ""}, actions);
    auto said = find<Send>(actions);
    return said ? said->text : "";
  }

  Limits limits;
  Requests requests{limits};
};

TEST_F(RequestsTest, CloseCallsACountOff) {  // R7
  const Handle closed = count("c"), other = count("d");
  Actions actions;
  requests.close("c", actions);
  ASSERT_TRUE(find<CancelQuery>(actions));
  EXPECT_EQ(find<CancelQuery>(actions)->query, closed);
  EXPECT_EQ(answer(closed), "");
  EXPECT_EQ(answer(other), R"(["COUNT","d",{"count":5}])");
}

TEST_F(RequestsTest, CloseCallsOffACountThatWaits) {  // R3, R7
  limits.queries_in_flight = 1;
  const Handle first = count("first");
  EXPECT_FALSE(find<Count>(say_count("second")));
  Actions actions;
  requests.close("second", actions);
  requests.counted({first, 5, ""}, actions);
  EXPECT_FALSE(find<Count>(actions));
}

TEST_F(RequestsTest, ARefusedCountEndsTheSubscriptionOfItsName) {  // R7
  const Handle subscription = request("c");
  const Actions refused = say_count("c", 3);
  ASSERT_TRUE(find<Unlisten>(refused));
  EXPECT_EQ(find<Unlisten>(refused)->subscription, subscription);
  EXPECT_TRUE(find<Send>(refused)->text.starts_with(R"(["CLOSED","c",)"));
}

TEST_F(RequestsTest, AFailedCountEndsTheSubscriptionOfItsName) {  // R7
  const Handle failing = count("c"), subscription = request("c");
  Actions actions;
  requests.failed({failing, "error: x"}, actions);
  ASSERT_TRUE(find<Unlisten>(actions));
  EXPECT_EQ(find<Unlisten>(actions)->subscription, subscription);
}

TEST_F(RequestsTest, ARequestLeavesTheCountOfItsNameAlone) {  // R7
  const Handle query = count("c");
  request("c");
  request("c");
  EXPECT_EQ(answer(query), R"(["COUNT","c",{"count":5}])");
}

}  // namespace requests_test
}  // namespace graspd::relay
