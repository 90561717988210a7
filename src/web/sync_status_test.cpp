#include "web/sync_status.h"

#include <gtest/gtest.h>

#include "web/columns.h"
#include "web/pages_testing.h"
#include "web/sync_report_testing.h"

namespace graspd::web {
namespace sync_status_test {

using namespace sync::testing;
using testing::holds;

http::Request request(std::string target, std::string accept = "") {
  http::Request made;
  made.target = std::move(target);
  if (!accept.empty()) made.headers.add("Accept", std::move(accept));
  return made;
}

sync::SyncReport mixed() {
  sync::SyncReport seen =
      report({well("wss://a.example"), failing("wss://b.example"), with_gap("wss://c.example")});
  for (int i = 0; i < 30; ++i)
    seen.status.repos.push_back(repository("repo" + std::to_string(10 + i), {"wss://a.example"}));
  return seen;
}

TEST(SyncStatus, IsJsonUnlessATableIsWanted) {
  const auto json = sync_status(mixed(), request("/api/sync", "*/*"));
  EXPECT_EQ(json.headers.get("Content-Type"), "application/json; charset=utf-8");
  EXPECT_EQ(json.headers.get("Cache-Control"), "no-store");
  EXPECT_EQ(json.body.front(), '{');
  const auto table = sync_status(mixed(), request("/api/sync", "text/plain"));
  EXPECT_EQ(table.headers.get("Content-Type"), "text/plain; charset=utf-8");
}

TEST(SyncStatus, SaysTheToneInAHeader) {  // R2
  EXPECT_EQ(sync_status(mixed(), request("/")).headers.get("Sync-Outlook"), "bad");
  EXPECT_EQ(sync_status(report({well("wss://a")}), request("/")).headers.get("Sync-Outlook"),
            "good");
}

TEST(SyncStatus, IsWholeUnlessLessIsAskedFor) {  // R1
  EXPECT_TRUE(holds(sync_status(mixed(), request("/api/sync")).body, "repo39"));
  const auto some = sync_status(mixed(), request("/api/sync?repositories=2")).body;
  EXPECT_TRUE(holds(some, "repo11"));
  EXPECT_FALSE(holds(some, "repo12"));
  EXPECT_TRUE(holds(sync_status(mixed(), request("/api/sync?repositories=-1")).body, "repo39"));
}

TEST(SyncTable, ShowsRelaysAndRepositories) {
  const std::string text = sync_table(mixed(), 20);
  EXPECT_TRUE(text.starts_with("1 of 3 relays is not reachable; ")) << text;
  EXPECT_TRUE(holds(text, "\nwss://a.example  in sync             30 s ago    0 s")) << text;
  EXPECT_TRUE(holds(text, "connection refused; failed 3 times; next try in 20 s")) << text;
  EXPECT_TRUE(holds(text, "wss://c.example  history: 0 of 1 request, pages, failed")) << text;
  EXPECT_TRUE(holds(text, "and 10 more")) << text;
  EXPECT_TRUE(holds(text, "repo29")) << text;
  EXPECT_FALSE(holds(text, "repo30")) << text;
}

// Where each word of the first line begins, every line of the table begins a column.
void expect_columns(const std::string& text, const std::vector<std::string>& titles) {
  std::size_t at = text.find("\n" + titles[0]);
  ASSERT_NE(at, text.npos) << text;
  std::vector<std::string> lines;
  for (++at; at < text.size() && text[at] != '\n';) {
    const std::size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  for (const std::string& title : titles) {
    const std::size_t column = lines[0].find(title);
    for (const std::string& line : lines) {
      if (column == 0 || terminal_width(line) <= column) continue;
      std::size_t bytes = 0;
      while (terminal_width(line.substr(0, bytes)) < column) ++bytes;
      EXPECT_EQ(line.substr(bytes - 2, 2), "  ") << title << ":\n" << text;
    }
  }
}

TEST(SyncTable, KeepsItsColumnsWhateverIsInThem) {
  sync::SyncReport seen =
      report({well("wss://a.example"), with_gap("wss://" + std::string(80, 'b'))});
  seen.status.relays[0].meter.gaps = 123'456'789'012;
  seen.status.repos = {repository("日本", {"wss://a.example"}), sync::testing::hosted("one"),
                       repository(std::string(100, 'x'))};
  seen.status.repos[1].git->problem = "two objects are missing: " + std::string(80, 'c');
  const std::string text = sync_table(seen, 20);
  expect_columns(
      text, {"RELAY", "STATE", "LAST EVENT", "LAG", "LIVE", "PENDING", "COVERAGE", "GAPS", "WHY"});
  expect_columns(text, {"REPOSITORY", "OWNER", "LEVEL", "THREADS", "SYNCED", "VERIFIED", "RELAYS"});
}

TEST(SyncTable, ShowsHowGitDataFares) {
  sync::SyncReport seen = report({});
  seen.status.repos = {sync::testing::hosted("one"), repository("two")};
  const std::string text = sync_table(seen, 20);
  EXPECT_TRUE(holds(text, "SYNCED    VERIFIED")) << text;
  EXPECT_TRUE(holds(text, "60 s ago  2 h ago")) << text;
  EXPECT_TRUE(holds(text, "5        -         -")) << text;
}

TEST(SyncTable, ShowsWhatIsLookedFor) {
  sync::SyncReport seen = report({});
  for (int i = 0; i < 30; ++i)
    seen.fetches.shown.push_back(fetched("tool" + std::to_string(10 + i)));
  seen.fetches.total = 100;
  const std::string text = sync_table(seen, 20);
  EXPECT_TRUE(holds(text, "; searching for git data of 100 repositories\n")) << text;
  EXPECT_TRUE(holds(text, "state aaaaaaaaaa  9 objects: bbbbbbbbbb, …  5 min ago  in progress"))
      << text;
  EXPECT_TRUE(holds(text, "https://b.example/x.git: no such repository (20 s ago)"));
  EXPECT_TRUE(holds(text, "tool29"));
  EXPECT_FALSE(holds(text, "tool30"));
  EXPECT_TRUE(holds(text, "and 80 more\n"));
}

TEST(SyncTable, CommandsNoTerminal) {  // R3
  sync::SyncReport seen = report({failing("wss://b.example",
                                          "\x1b[31m\xc2\x9b"
                                          "31m\r\nx")});
  const std::string text = sync_table(seen, 20);
  for (const char c : text) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
  EXPECT_FALSE(holds(text, "\xc2\x9b"));
}

TEST(SyncTable, IsShortWhereThereIsNothing) {
  EXPECT_EQ(sync_table(report({}), 20),
            "no other relays to follow: no repository here names one\n"
            "0 repositories and 0 threads followed; no events stored by sync\n");
}

}  // namespace sync_status_test
}  // namespace graspd::web
