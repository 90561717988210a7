// The rest of the rules is tested through the session.
#include "relay/requests.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace graspd::relay {
namespace requests_test {

constexpr std::size_t kPlenty = 1'000'000'000;

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
    requests.open({name, {{}}}, {100, kPlenty}, actions);
    return find<Listen>(actions)->subscription;
  }
  Actions say_count(const std::string& name, std::size_t filters = 1) {
    Actions actions;
    requests.count({name, std::vector<nostr::Filter>(filters), std::nullopt}, {100, kPlenty},
                   actions);
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

nostr::client::Request request(std::string name, std::size_t values) {
  nostr::Filter filter;
  filter.tags.push_back({'t', {}});
  for (std::size_t i = 0; i < values; ++i)
    filter.tags[0].values.push_back(std::to_string(1'000'000 + i));
  return {std::move(name), {filter}};
}

bool listens(const Actions& actions) {
  return std::ranges::any_of(
      actions, [](const Action& action) { return std::holds_alternative<Listen>(action); });
}

TEST(Requests, CountWhatTheyReallyOccupy) {  // R8
  const Limits limits;
  Requests requests(limits);
  Actions actions;
  requests.open(request("a", 1'000), {10'000, kPlenty}, actions);
  const std::size_t one = requests.occupied_bytes();
  EXPECT_GT(one, 100'000u);
  requests.open(request("b", 1'000), {10'000, kPlenty}, actions);
  EXPECT_EQ(requests.occupied_bytes(), 2 * one);
  requests.open(request("b", 1), {100, kPlenty}, actions);
  EXPECT_LT(requests.occupied_bytes(), one + 2'000);
  requests.close("a", actions);
  requests.close("b", actions);
  EXPECT_EQ(requests.occupied_bytes(), 0u);
}

TEST(Requests, AreRefusedWhenTheirAddressHasNoRoomForThem) {  // R8
  const Limits limits;
  Requests requests(limits);
  Actions actions;
  requests.open(request("s", 1'000), {10'000, 100'000}, actions);
  EXPECT_FALSE(listens(actions));
  ASSERT_EQ(actions.size(), 1u);
  EXPECT_TRUE(std::get<Send>(actions[0]).text.starts_with(R"(["CLOSED","s","rate-limited: )"));
  EXPECT_EQ(requests.occupied_bytes(), 0u);
  requests.open(request("s", 100), {1'000, 100'000}, actions);
  EXPECT_TRUE(listens(actions));
}

TEST(Requests, ThatReplaceOthersNeedNoMoreRoomThanThose) {  // R8
  const Limits limits;
  Requests requests(limits);
  Actions actions;
  requests.open(request("s", 1'000), {10'000, kPlenty}, actions);
  actions.clear();
  requests.open(request("s", 1'000), {10'000, 0}, actions);
  EXPECT_TRUE(listens(actions));
}

TEST(Requests, HoldBackOnlySoMuchTogether) {  // R5
  const Limits limits{.outbound_bytes = 100};
  Requests requests(limits);
  Actions actions;
  std::vector<Handle> handles;
  for (const char* name : {"a", "b", "c"}) {
    actions.clear();
    requests.open(request(name, 1), {100, kPlenty}, actions);
    handles.push_back(std::get<Listen>(actions[0]).subscription);
  }
  actions.clear();
  const auto event = std::make_shared<nostr::WireEvent>(nostr::WireEvent{{}, std::string(60, 'x')});
  requests.delivered({handles[0], event, 1}, actions);
  requests.delivered({handles[1], event, 1}, actions);
  EXPECT_TRUE(actions.empty());
  requests.delivered({handles[2], event, 2}, actions);
  EXPECT_EQ(find<Send>(actions)->text, R"(["CLOSED","c","error: too far behind; ask again"])");
  requests.read_ended({handles[0]}, actions);
  actions.clear();
  requests.delivered({handles[1], event, 3}, actions);
  EXPECT_TRUE(actions.empty()) << "what was sent is not held back any more";
}

TEST(Requests, OfCountsOccupyMemoryUntilTheyAreAnswered) {  // R8
  const Limits limits;
  Requests requests(limits);
  Actions actions;
  const auto filters = request("s", 1'000).filters;
  requests.count({"c", filters, {}}, {10'000, 1'000}, actions);
  EXPECT_TRUE(std::get<Send>(actions.back()).text.starts_with(R"(["CLOSED","c","rate-limited: )"));
  requests.count({"c", filters, {}}, {10'000, kPlenty}, actions);
  EXPECT_GT(requests.occupied_bytes(), 30'000u);
  requests.counted({std::get<Count>(actions.back()).query, 7, ""}, actions);
  EXPECT_EQ(requests.occupied_bytes(), 0u);
}

}  // namespace requests_test
}  // namespace graspd::relay
