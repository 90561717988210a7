#include "web/sync_json.h"

#include <gtest/gtest.h>

#include "web/sync_report_testing.h"

namespace graspd::sync {
namespace status_json_test {

using namespace testing;

bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(StatusJson, SaysEverythingOfARelay) {  // R1
  SyncReport seen = report({failing("wss://peer.example")});
  seen.traffic["wss://peer.example"] = {1234, 56};
  const std::string json = to_json(seen);
  for (const char* part :
       {R"("taken_at":1800000000)", R"("tone":"bad")",
        R"("verdict":"the only relay is not reachable")", R"("url":"wss://peer.example")",
        R"("link":"disconnected")", R"("health":"degraded")", R"("why":"connection refused")",
        R"("problem":"network")", R"("failures":3)", R"("next_try":1800000020)",
        R"("paused_until":null)", R"("lag_seconds":3600)", R"("coverage":{"has":0,"all":0})",
        R"("bytes_in":1234)", R"("bytes_out":56)", R"("dials_failed":3)", R"("in_trouble":1)"})
    EXPECT_TRUE(holds(json, part)) << part << "\n" << json;
}

TEST(StatusJson, ShowsBatchesWithTheirProgress) {
  const std::string json = to_json(report({with_gap("wss://a")}));
  EXPECT_TRUE(holds(json, R"("batches":[{"id":7,"kind":"history")")) << json;
  EXPECT_TRUE(holds(json, R"("failed":true,"why":"no progress","retry_at":1800000300}])")) << json;
}

TEST(StatusJson, EscapesWhatPeersSay) {
  const std::string json = to_json(report({failing("wss://a", "\"},\n\\ \x01")}));
  EXPECT_TRUE(holds(json, R"("why":"\"},\n\\ \u0001")")) << json;
}

TEST(StatusJson, ListsRepositoriesByName) {  // R2
  SyncReport seen = report({});
  seen.status.repos = {repository("zebra"), repository("ant", {"wss://a", "wss://b"}),
                       repository("b:c")};
  const std::string json = to_json(seen);
  EXPECT_LT(json.find(R"("identifier":"ant")"), json.find(R"("identifier":"b:c")"));
  EXPECT_LT(json.find(R"("identifier":"b:c")"), json.find(R"("identifier":"zebra")"));
  EXPECT_TRUE(holds(json, R"("level":"full","roots":5,"hosted":false,)"));
  EXPECT_TRUE(holds(json, R"("relays":["wss://a","wss://b"]})"));
  const std::string cut = to_json(seen, 1);
  EXPECT_TRUE(holds(cut, R"("repositories":3)")) << cut;
  EXPECT_FALSE(holds(cut, "zebra"));
}

TEST(StatusJson, SaysWhatIsFetched) {
  SyncReport seen = report({});
  seen.fetches = {{fetched("a tool")}, 70, 2};
  const std::string json = to_json(seen);
  for (const char* part :
       {R"("hunts":70,"hunt_commands":2)", R"("identifier":"a tool")",
        R"("wanted_for":"state aaaaaaaaaa","missing":9,)", R"("since":1799999700,)",
        R"("next_try":null,"next":"in progress")", R"("events":[{"id":"aaaa)",
        R"("state":"no such repository","failure":"not_found","failed_at":1799999980)",
        R"("failed_at":null,"busy_since":1799999995)"})
    EXPECT_TRUE(holds(json, part)) << part << "\n" << json;
}

TEST(StatusJson, SaysHowGitDataFares) {
  SyncReport seen = report({});
  seen.status.repos = {hosted("a")};
  seen.status.repos[0].git->problem = "objects are missing";
  const std::string json = to_json(seen);
  EXPECT_TRUE(holds(json, R"("hosted":true,"synced_at":1799999940,"behind":"",)")) << json;
  EXPECT_TRUE(holds(json, R"("verified_at":1799992800,"problem":"objects are missing",)")) << json;
  EXPECT_TRUE(holds(json, R"("compared_at":null,"compared_with":"","difference":"")")) << json;
  EXPECT_TRUE(holds(json, R"("hosted":1,"synced":1,"verified":0,"broken":1,)")) << json;
}

TEST(StatusJson, IsWholeWithoutAnything) {
  const std::string json = to_json(SyncReport{});
  EXPECT_TRUE(holds(json, R"("relays":[],"hunts":[],"repositories":[]})")) << json;
  EXPECT_EQ(json.back(), '\n');
}

}  // namespace status_json_test
}  // namespace graspd::sync
