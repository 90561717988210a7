#include "serve/fetch/fetch_report.h"

#include <gtest/gtest.h>

namespace graspd::serve {
namespace scheduler_view_test {

using namespace std::chrono_literals;
using namespace git::fetch;

constexpr core::Now kNow{core::Instant(1h), 1'800'000'000};
const grasp::Coordinate kRepo{nostr::PublicKey(), *grasp::Identifier::parse("tool")};
const std::string kEvent(64, 'a');

RepoStatus some() {
  RepoStatus repo;
  repo.events = {{{kEvent}, Reason::State, 2, kNow.instant - 30s}};
  repo.events_total = 1;
  repo.missing = 2;
  repo.since = kNow.instant - 30s;
  return repo;
}

TEST(FetchReports, SaysTimesAsOthersDo) {
  RepoStatus repo = some();
  repo.next_try = kNow.instant + 20s;
  repo.passes = 3;
  const auto shown = fetch_report_of(repo, kRepo, kNow);
  EXPECT_EQ(shown.address, "30617:" + std::string(64, '0') + ":tool");
  EXPECT_EQ(shown.since, kNow.unix_seconds - 30);
  EXPECT_EQ(shown.next_try, kNow.unix_seconds + 20);
  EXPECT_EQ(shown.tries, 3u);
  ASSERT_EQ(shown.events.size(), 1u);
  EXPECT_EQ(shown.events[0].id, kEvent);
  EXPECT_EQ(shown.events[0].reason, "state");
}

TEST(FetchReports, NamesNoEventWhereThereIsNone) {
  RepoStatus repo = some();
  repo.events = {{{"repair npub1x/tool.git"}, Reason::Repair, 2, kNow.instant}};
  const auto shown = fetch_report_of(repo, kRepo, kNow);
  EXPECT_EQ(shown.events[0].id, "");
  EXPECT_EQ(shown.events[0].reason, "repair");
}

TEST(FetchReports, SaysHowEachSourceFares) {
  RepoStatus repo = some();
  using Stage = FetchSource::Stage;
  repo.sources = {
      {"https://a", false, Stage::Done, git::FetchFailure::NotFound, kNow.instant - 9s, {}},
      {"https://b", false, Stage::Unread, {}, {}, {}},
      {"https://c", false, Stage::Late, {}, {}, {}},
      {"https://d", false, Stage::Unread, {}, {}, kNow.instant - 5s}};
  const auto shown = fetch_report_of(repo, kRepo, kNow);
  ASSERT_EQ(shown.sources.size(), 4u);
  EXPECT_EQ(shown.sources[0].url, "https://d");
  EXPECT_EQ(shown.sources[0].words, "request running");
  EXPECT_EQ(shown.sources[0].busy_since, kNow.unix_seconds - 5);
  EXPECT_EQ(shown.sources[1].words, "no such repository");
  EXPECT_EQ(shown.sources[1].failure, "not_found");
  EXPECT_EQ(shown.sources[1].failed_at, kNow.unix_seconds - 9);
  EXPECT_EQ(shown.sources[2].words, "not asked yet");
  EXPECT_EQ(shown.sources[3].words, "has none of the missing objects");
}

TEST(FetchReports, IsShort) {  // R1
  RepoStatus repo = some();
  for (int i = 0; i < 32; ++i)
    repo.sources.push_back(
        {"https://" + std::to_string(i), false, FetchSource::Stage::Unread, {}, {}, {}});
  repo.sources.back().busy_since = kNow.instant;
  const auto shown = fetch_report_of(repo, kRepo, kNow);
  ASSERT_EQ(shown.sources.size(), kFetchSourcesShown);
  EXPECT_EQ(shown.sources_total, 32u);
  EXPECT_EQ(shown.sources[0].url, "https://31");
}

}  // namespace scheduler_view_test
}  // namespace graspd::serve
