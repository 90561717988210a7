#include "app/sync_once/sync_report.h"

#include <gtest/gtest.h>

namespace graspd::app {
namespace sync_report_test {

TEST(OneShotReport, IsCompleteWhenNothingIsMissing) {  // R1
  OneShotReport report;
  EXPECT_EQ(exit_code(report), 0);
  report.fetched = report.stored = 5;
  EXPECT_EQ(exit_code(report), 0);
}

TEST(OneShotReport, DoesNotBlameOurOwnPolicy) {  // R2
  OneShotReport report;
  report.held = 2;
  report.upload_duplicates = 3;
  report.kept_back = 1;
  tally(report.refused, "blocked: not ours");
  EXPECT_EQ(exit_code(report), 0);
}

TEST(OneShotReport, IsIncompleteWhenSomethingDidNotComeOrGo) {  // R1
  for (const auto spoil : std::vector<void (*)(OneShotReport&)>{
           [](OneShotReport& report) { report.undelivered = 1; },
           [](OneShotReport& report) { report.failed = 1; },
           [](OneShotReport& report) { report.unsent = 1; },
           [](OneShotReport& report) { report.end = OneShotReport::End::BrokenOff; },
           [](OneShotReport& report) { trouble(report, "no answer"); },
           [](OneShotReport& report) { tally(report.upload_refused, "blocked: no"); }}) {
    OneShotReport report;
    spoil(report);
    EXPECT_EQ(exit_code(report), 1);
    EXPECT_NE(summary_text(report).find("incomplete"), std::string::npos);
  }
}

TEST(OneShotReport, TellsWhatStoppedIt) {  // R1
  OneShotReport report;
  report.end = OneShotReport::End::Unreachable;
  EXPECT_EQ(exit_code(report), 3);
  report.signal = 2;
  EXPECT_EQ(exit_code(report), 130);
  EXPECT_NE(summary_text(report).find("interrupted"), std::string::npos);
}

TEST(OneShotReport, CountsByReasonAndKeepsFewOfThem) {  // R3
  Reasons reasons;
  tally(reasons, "blocked: a");
  tally(reasons, "blocked: a");
  tally(reasons, "evil\n\x1b[2J");
  EXPECT_EQ(reasons.at("blocked: a"), 2U);
  EXPECT_TRUE(reasons.contains("evil\\n\\x1b[2J"));
  tally(reasons, "");
  for (int i = 0; i < 1000; ++i) tally(reasons, std::to_string(i));
  EXPECT_LT(reasons.size(), 50U);
  EXPECT_EQ(total(reasons), 1004U);
  tally(reasons, std::string(100'000, 'x'));
  EXPECT_EQ(total(reasons), 1005U);
}

TEST(OneShotReport, IsOneLineOfJson) {
  OneShotReport report;
  report.stored = 7;
  report.lasted = core::Duration(500);
  tally(report.refused, "said \"no\"");
  trouble(report, "it broke");
  trouble(report, "it broke");
  const std::string json = summary_json(report);
  EXPECT_NE(json.find(R"("complete":false,"exit_code":1)"), std::string::npos);
  EXPECT_NE(json.find(R"("stored":7)"), std::string::npos);
  EXPECT_NE(json.find(R"("refused":{"said \"no\"":1})"), std::string::npos);
  EXPECT_NE(json.find(R"("troubles":["it broke"])"), std::string::npos);
  EXPECT_EQ(json.find('\n'), json.size() - 1);
}

TEST(SyncProgress, HasABarOnATerminalAlone) {
  OneShotReport report;
  report.missing_here = 200;
  report.fetched = 50;
  const std::string bar = progress_text(report, {.questions = 4, .questions_open = 1}, true);
  EXPECT_NE(bar.find("[######..................]  25 %"), std::string::npos) << bar;
  EXPECT_NE(bar.find("3 of 4 done"), std::string::npos);
  EXPECT_EQ(progress_text(report, {}, false).find('['), std::string::npos);
}

}  // namespace sync_report_test
}  // namespace graspd::app
