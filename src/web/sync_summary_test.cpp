#include "web/sync_summary.h"

#include <gtest/gtest.h>

#include "web/sync_report_testing.h"

namespace graspd::sync {
namespace sync_summary_test {

using namespace testing;

SyncSummary judged(const RelayStatus& relay) { return summary_of(relay, kTakenAt); }
std::string verdict(std::vector<RelayStatus> relays) {
  return summary_of(report(std::move(relays))).state;
}

TEST(SyncSummary, IsGoodOnlyWhenNothingIsMissing) {  // R1
  EXPECT_EQ(judged(well("wss://a")).tone, Tone::Good);
  EXPECT_EQ(judged(well("wss://a")).state, "in sync");
  EXPECT_EQ(judged(syncing("wss://a")).tone, Tone::Busy);
  EXPECT_EQ(judged(with_gap("wss://a")).tone, Tone::Warn);
  EXPECT_EQ(judged(failing("wss://a")).tone, Tone::Bad);
}

TEST(SyncSummary, SaysHowManyRelaysWaitForAPlaceAndForWhichLimit) {
  SyncReport all = report({well("wss://a")});
  EXPECT_EQ(followed_in_words(all).find("wait"), std::string::npos);
  all.status.waiting = {.for_host = 3, .for_owner = 950, .for_any = 1, .overlooked = 2};
  EXPECT_EQ(summary_of(all).state,
            "complete: 1 relay followed, in sync; 954 more relays not followed because of limits");
  EXPECT_NE(followed_in_words(all).find(
                "954 relays wait for a free slot: 950 limited by NGIT_SYNC_MAX_RELAYS_PER_OWNER"
                ", 3 limited by NGIT_SYNC_MAX_RELAYS_PER_HOST, 1 limited by NGIT_SYNC_MAX_RELAYS"),
            std::string::npos);
  EXPECT_NE(followed_in_words(all).find("2 relays not recorded"), std::string::npos);
}

TEST(SyncSummary, OfAServerThatStoresNothingBeginsWithThat) {
  SyncReport all = report({well("wss://a")});
  all.trouble = "low on disk space";
  EXPECT_EQ(summary_of(all).tone, Tone::Bad);
  EXPECT_EQ(summary_of(all).state, "low on disk space; sync: complete: 1 relay followed, in sync");
}

TEST(SyncSummary, NeverCallsInSyncWhatDoesNotAddUp) {  // R1
  RelayStatus relay{.link = LinkState::Connected, .health = HealthState::Healthy};
  relay.rereading = "answers that looked whole were not";
  EXPECT_EQ(summary_of(relay, 0).tone, Tone::Warn);
  EXPECT_EQ(summary_of(relay, 0).state, "reading again");
  relay.link = LinkState::ConnectedWithGaps;
  EXPECT_EQ(summary_of(relay, 0).state, "reading again");
  relay.rereading.clear();
  relay.live_repairs = 2;
  EXPECT_EQ(summary_of(relay, 0).state, "not live");
  EXPECT_NE(summary_of(relay, 0).detail.find("2 live subscriptions refused"), std::string::npos);
}

TEST(SyncSummary, SaysWhyAndWhenItIsTriedAgain) {  // R2
  EXPECT_EQ(judged(failing("wss://a")).detail,
            "connection refused; failed 3 times; next try in 20 s");
  EXPECT_EQ(judged(with_gap("wss://a")).detail, "2 events missing; no progress; next try in 5 min");
  RelayStatus slow = well("wss://a");
  slow.paused_until = kTakenAt + 65;
  EXPECT_EQ(judged(slow).detail, "the relay asked us to slow down; resumes in 65 s");
  RelayStatus closed = well("wss://a");
  closed.health = HealthState::PolicyLimited;
  closed.meter.policy_refusals["restricted"] = 2;
  EXPECT_EQ(judged(closed).detail, "restricted; retried once a day");
}

TEST(SyncSummary, StaysBadWhileAFailedRelayIsTriedAgain) {
  RelayStatus trying = failing("wss://a");
  trying.link = LinkState::Connecting;
  trying.next_try.reset();
  EXPECT_EQ(judged(trying).tone, Tone::Bad);
  EXPECT_EQ(judged(trying).detail, "connection refused; failed 3 times; trying now");
  trying.failures = 0;
  trying.health = HealthState::Disconnected;
  EXPECT_EQ(judged(trying).tone, Tone::Busy);
}

TEST(SyncSummary, TellsTheDeadFromThosePrivate) {
  RelayStatus dead = failing("wss://a");
  dead.health = HealthState::Dead;
  EXPECT_EQ(judged(dead).state, "dead");
  RelayStatus hidden;
  hidden.is_private = true;
  EXPECT_EQ(judged(hidden).tone, Tone::Idle);
  EXPECT_EQ(summary_of(report({hidden, well("wss://b")})).state,
            "complete: 1 relay followed, in sync");
}

TEST(SyncSummary, CutsAPeersWordsToOneLine) {  // R3
  RelayStatus chatty = failing("wss://a", "no\r\n\x1b[2J" + std::string(1000, 'x') + "ä");
  const std::string detail = judged(chatty).detail;
  EXPECT_LT(detail.size(), 400U);
  for (const char c : detail) EXPECT_GE(static_cast<unsigned char>(c), 0x20);
  chatty.why = std::string(299, 'x') + "ä";  // the cut would go through its middle
  EXPECT_TRUE(judged(chatty).detail.starts_with(std::string(299, 'x') + "…;"));
}

TEST(SyncSummary, IsOneSentenceForAll) {
  EXPECT_EQ(verdict({well("wss://a"), well("wss://b"), well("wss://c")}),
            "complete: 3 relays followed, all in sync");
  EXPECT_EQ(verdict({well("wss://a"), failing("wss://b"), failing("wss://c")}),
            "2 of 3 relays are not reachable");
  EXPECT_EQ(verdict({well("wss://a"), failing("wss://b"), syncing("wss://c"), with_gap("wss://d")}),
            "1 of 4 relays is not reachable; 1 of 4 relays is followed with gaps or limits; "
            "1 of 4 relays is still catching up");
  EXPECT_EQ(summary_of(report({well("wss://a"), syncing("wss://b"), failing("wss://c")})).tone,
            Tone::Bad);
  EXPECT_EQ(summary_of(report({})).tone, Tone::Good);
  EXPECT_EQ(summary_of(SyncReport{}).tone, Tone::Busy);
}

TEST(SyncSummary, KnowsSyncedGitDataFromVerified) {
  RepoStatus repo = hosted("a");
  EXPECT_EQ(synced_in_words(repo, kTakenAt), "60 s ago");
  EXPECT_EQ(verified_in_words(repo, kTakenAt), "2 h ago");
  repo.git->problem = "objects are missing";
  EXPECT_EQ(verified_in_words(repo, kTakenAt), "objects are missing (last verified 2 h ago)");
  repo.git = GitStatus{.behind = "a newer state waits"};
  EXPECT_EQ(synced_in_words(repo, kTakenAt), "a newer state waits");
  EXPECT_EQ(verified_in_words(repo, kTakenAt), "not yet");
  EXPECT_EQ(synced_in_words(repository("elsewhere"), kTakenAt), "");
}

TEST(SyncSummary, WarnsOfDamagedGitData) {
  SyncReport seen = report({well("wss://a")});
  seen.status.repos = {hosted("a"), hosted("b"), repository("elsewhere")};
  EXPECT_EQ(summary_of(seen).tone, Tone::Good);
  EXPECT_TRUE(followed_in_words(seen).ends_with(
      "; git data of 2 repositories hosted: 2 synced, 2 verified"));
  seen.status.repos[1].git->problem = "objects are missing";
  EXPECT_EQ(summary_of(seen).tone, Tone::Warn);
  EXPECT_EQ(summary_of(seen).state,
            "complete: 1 relay followed, in sync; git data of 1 repository is damaged");
  EXPECT_EQ(totals_of(seen).verified, 1U);
  EXPECT_EQ(totals_of(seen).broken, 1U);
}

TEST(SyncSummary, CountsLagOnlyWhileLiveDoesNotWork) {
  EXPECT_EQ(lag_seconds(well("wss://a"), kTakenAt), 0U);
  EXPECT_EQ(lag_seconds(failing("wss://a"), kTakenAt), 3600U);
  RelayStatus deaf = well("wss://a");
  deaf.live_subscriptions = 0;
  EXPECT_EQ(lag_seconds(deaf, kTakenAt), 2U);
  EXPECT_EQ(lag_seconds(RelayStatus{}, kTakenAt), std::nullopt);
}

TEST(SyncSummary, ShowsTheProgressOfABatch) {
  EXPECT_EQ(progress_of(syncing("wss://a").batches[0]),
            "history: 3 of 8 requests, negentropy, 120 events");
  EXPECT_EQ(progress_of(with_gap("wss://a").batches[0]), "history: 0 of 1 request, pages, failed");
}

TEST(SyncSummary, KnowsHowMuchIsLive) {
  RelayStatus relay = well("wss://a");
  EXPECT_EQ(live_share(relay), 1);
  relay.rotating_filters = 12;
  EXPECT_EQ(live_share(relay), 0.25);
  EXPECT_EQ(live_share(RelayStatus{}), 0);
}

TEST(SyncSummary, WritesSpansOfTime) {
  EXPECT_EQ(span(-5), "0 s");
  EXPECT_EQ(span(119), "119 s");
  EXPECT_EQ(span(120), "2 min");
  EXPECT_EQ(span(7200), "2 h");
  EXPECT_EQ(span(48 * 3600), "2 d");
}

}  // namespace sync_summary_test
}  // namespace graspd::sync
