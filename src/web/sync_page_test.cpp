#include "web/sync_page.h"

#include <gtest/gtest.h>

#include "core/base64.h"
#include "core/sha256.h"
#include "web/pages_testing.h"
#include "web/sync_report_testing.h"
#include "web/sync_script.h"

namespace graspd::web {
namespace sync_page_test {

using namespace sync::testing;
using testing::holds;
using testing::home;
using testing::kScript;

TEST(SyncPage, SaysHowItFaresAndShowsTroubleFirst) {  // R1
  const auto body =
      sync_page(report({well("wss://a.example"), failing("wss://b.example")}), home()).body;
  EXPECT_TRUE(
      holds(body, "<p id=\"verdict\" class=\"tone bad\">1 of 2 relays is not reachable</p>"));
  EXPECT_LT(body.find("data-key=\"wss://b.example\""), body.find("data-key=\"wss://a.example\""));
  EXPECT_TRUE(holds(body, "2027-01-15 08:00:00 UTC"));
}

TEST(SyncPage, IsCompleteWithoutAScript) {  // R2
  sync::RelayStatus slow = syncing("wss://c.example");
  slow.rotating_filters = 3;
  slow.meter.gaps = 2;
  const auto body = sync_page(report({failing("wss://b.example"), slow}), home()).body;
  for (const char* part :
       {"<bdi class=\"tone bad\">not reachable</bdi>",
        "<bdi>connection refused; failed 3 times; next try in 20 s</bdi>",
        "<bdi>none yet; behind by 60 min</bdi>", "<bdi class=\"tone busy\">catching up</bdi>",
        "<bdi>30 s ago</bdi>", "<bdi>4 + 3 in turn</bdi>",
        "<bdi>history: 3 of 8 requests, negentropy, 120 events</bdi>", "<bdi>98 %</bdi>",
        "<bdi>2 found late</bdi>"})
    EXPECT_TRUE(holds(body, part)) << part;
}

TEST(SyncPage, ListsRepositoriesWithTheirRelays) {
  sync::SyncReport seen = report({});
  seen.status.repos = {repository("a tool", {"wss://a.example", "wss://b.example"})};
  const auto body = sync_page(seen, home("/grasp")).body;
  EXPECT_TRUE(holds(body, "/a%20tool.git\">a tool</a>")) << body;
  EXPECT_TRUE(holds(body, "href=\"/grasp/npub1"));
  EXPECT_TRUE(holds(body, "<bdi>wss://a.example; wss://b.example</bdi>"));
  EXPECT_TRUE(holds(body, "<p id=\"relays-none\">None yet.</p>\n<table id=\"relays\" hidden>"));
  EXPECT_TRUE(holds(body, "<p id=\"repositories-none\" hidden>"));
}

TEST(SyncPage, ShowsHowGitDataFares) {
  sync::SyncReport seen = report({});
  seen.status.repos = {sync::testing::hosted("well"), sync::testing::hosted("torn"),
                       repository("elsewhere")};
  seen.status.repos[1].git->problem = "objects are <missing>";
  const auto body = sync_page(seen, home()).body;
  EXPECT_TRUE(holds(body, "<td data-label=\"Git synced\"><bdi>60 s ago</bdi></td>")) << body;
  EXPECT_TRUE(holds(body, "<td data-label=\"Git verified\"><bdi>2 h ago</bdi></td>"));
  EXPECT_TRUE(holds(body, "<bdi class=\"tone warn\">objects are &lt;missing&gt; (last verified"));
  EXPECT_TRUE(holds(body, "<bdi>not hosted here</bdi>"));
}

TEST(SyncPage, ShowsWhatIsLookedFor) {  // R4
  sync::SyncReport seen = report({});
  EXPECT_TRUE(holds(sync_page(seen, home()).body, "<section id=\"looked-for\" hidden>"));
  seen.fetches = {{fetched("a tool")}, 70, 1};
  const auto body = sync_page(seen, home("/grasp")).body;
  for (const char* part :
       {"<section id=\"looked-for\">", "The first 1 of 70.", "/a%20tool.git\">a tool</a>",
        "<td data-label=\"Wanted for\"><bdi>state aaaaaaaaaa</bdi></td>",
        "<bdi>9 objects: bbbbbbbbbb, …</bdi>", "<bdi>5 min ago</bdi>", "<bdi>in progress</bdi>",
        "https://b.example/x.git: no such repository (20 s ago)</bdi>"})
    EXPECT_TRUE(holds(body, part)) << part << body;
}

TEST(SyncPage, ShowsTwoHundredRepositoriesAndSaysSo) {  // R3
  sync::SyncReport seen = report({});
  for (int i = 0; i < 250; ++i)
    seen.status.repos.push_back(repository("r" + std::to_string(1000 + i)));
  const auto body = sync_page(seen, home()).body;
  EXPECT_TRUE(holds(body, "The first 200 of 250."));
  EXPECT_TRUE(holds(body, "r1199"));
  EXPECT_FALSE(holds(body, "r1200"));
}

TEST(SyncPage, ShowsHostileWordsAsText) {
  sync::SyncReport seen = report({failing("wss://a.example/" + kScript, kScript + "\xe2\x80\xae")});
  seen.status.repos = {repository(kScript)};
  seen.fetches = {{fetched(kScript)}, 1, 0};
  seen.fetches.shown[0].sources[0].url = kScript;
  const auto body = sync_page(seen, home()).body;
  EXPECT_FALSE(holds(body, kScript));
  EXPECT_FALSE(holds(body, "<script>"));
  EXPECT_FALSE(holds(body, "\xe2\x80\xae"));
}

TEST(SyncPage, AllowsItsOwnScriptAndNoOther) {
  const auto response = sync_page(report({}), home("/grasp"));
  const auto policy = std::string(*response.headers.get("Content-Security-Policy"));
  EXPECT_TRUE(holds(policy, "script-src 'sha256-" +
                                core::encode_base64(core::sha256(sync_script())) +
                                "'; connect-src 'self';"))
      << policy;
  EXPECT_TRUE(holds(response.body, "<script data-base=\"/grasp/\">" + std::string(sync_script())));
  EXPECT_FALSE(holds(std::string(sync_script()), "innerHTML"));
}

}  // namespace sync_page_test
}  // namespace graspd::web
