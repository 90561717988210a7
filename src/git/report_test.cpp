#include "git/report.h"

#include <gtest/gtest.h>

#include "git/pkt_line.h"
#include "git/refs_testing.h"

namespace graspd::git {
namespace report_test {

const std::vector<Result> kMixed = {{named("refs/heads/a"), std::nullopt},
                                    {named("refs/heads/b"), "not declared"}};
const std::string kMixedReport =
    "000eunpack ok\n0014ok refs/heads/a\n0021ng refs/heads/b not declared\n0000";

std::string error_of(std::string_view bytes) {
  const auto report = parse_report_status(bytes);
  return report ? "" : report.error();
}

std::string pkt(std::string_view payload) {
  std::string out;
  append_pkt(out, payload);
  return out;
}

TEST(Report, SaysWhatHappenedToEachRef) {  // R1
  EXPECT_EQ(report_status("ok", kMixed), kMixedReport);
  EXPECT_EQ(report_status("disk full", {}), "0015unpack disk full\n0000");
}

TEST(Report, CannotBeForgedByAReason) {  // R2
  const auto bytes = report_status("ok", {{named("refs/heads/a"), "no\nok refs/heads/a\x1b[2J"}});
  EXPECT_EQ(bytes, "000eunpack ok\n002bng refs/heads/a no ok refs/heads/a [2J\n0000");
}

TEST(Report, CutsEndlessReasonsBetweenCharacters) {  // R2
  std::string endless = "x";
  for (int i = 0; i < 100'000; ++i) endless += "\xc3\xbc";
  const auto bytes = report_status("ok", {{named("refs/heads/a"), endless}});
  EXPECT_LT(bytes.size(), 4100);
  EXPECT_EQ(bytes.substr(bytes.size() - 7), "\xc3\xbc\n0000");
}

TEST(Report, RefusesAllCommandsForOneReason) {
  const std::vector<Command> commands = {command('0', 'a', "refs/heads/a"),
                                         command('a', '0', "refs/tags/b")};
  const std::vector<Result> expected = {{named("refs/heads/a"), "no"},
                                        {named("refs/tags/b"), "no"}};
  EXPECT_EQ(refuse_all(commands, "no"), expected);
}

TEST(PushAnswer, StandsAloneWithoutSideBand) {  // R3
  EXPECT_EQ(push_answer({.report_status = true}, "ok", kMixed, "hello"), kMixedReport);
  EXPECT_EQ(push_answer({.report_status_v2 = true}, "ok", kMixed, ""), kMixedReport);
  EXPECT_EQ(push_answer({}, "ok", kMixed, "hello"), "");
}

TEST(PushAnswer, TravelsInSideBandsWhenTheyWereNegotiated) {  // R3
  EXPECT_EQ(push_answer({.report_status = true, .side_band_64k = true}, "ok", {}, "hello"),
            "000b\2hello\n0017\001000eunpack ok\n00000000");
  EXPECT_EQ(push_answer({.side_band_64k = true}, "ok", kMixed, "hello\n"), "000b\2hello\n0000");
}

TEST(PushAnswer, HasRoomForManyRefs) {  // R3
  std::vector<Result> results;
  for (int i = 0; i < 5000; ++i) {
    results.push_back({named("refs/heads/" + std::to_string(i)), "no"});
  }
  const auto answer =
      push_answer({.report_status = true, .side_band_64k = true}, "ok", results, "");
  PktReader reader;
  reader.feed(answer);
  std::string report;
  while (true) {
    const auto frame = std::get<Pkt>(reader.next());
    if (frame.kind == Pkt::Kind::Flush) break;
    report += frame.payload.substr(1);
  }
  EXPECT_EQ(report, report_status("ok", results));
}

TEST(Progress, NeverSoundsLikeAnOutcome) {  // R4
  EXPECT_EQ(calm_progress("fatal: it broke\nfine\nError:  fatal:x"), "it broke\nfine\nx\n");
  EXPECT_EQ(calm_progress("a\rfatal: b\r\n"), "a\rb\r\n");
  EXPECT_EQ(calm_progress("  error: c"), "c\n");
  EXPECT_EQ(calm_progress("no error: here\n  indented\n"), "no error: here\n  indented\n");
  EXPECT_EQ(calm_progress(""), "");
}

TEST(GitsReport, IsReadBack) {
  const auto report = parse_report_status(kMixedReport);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->unpack, "ok");
  const std::map<RefName, std::optional<std::string>> expected = {
      {named("refs/heads/a"), std::nullopt}, {named("refs/heads/b"), "not declared"}};
  EXPECT_EQ(report->results, expected);
}

TEST(GitsReport, MayHaveOptionLines) {
  const auto report = parse_report_status(
      pkt("unpack ok\n") + pkt("ok refs/heads/a\n") + pkt("option refname refs/heads/b\n") +
      pkt("option forced-update\n") + pkt("ng refs/heads/c\n") + "0000");
  ASSERT_TRUE(report);
  EXPECT_EQ(report->results.size(), 2);
  EXPECT_EQ(report->results.at(named("refs/heads/c")), "");
}

TEST(GitsReport, IsBelievedOnlyWhole) {
  const std::string unpack = pkt("unpack ok\n");
  const std::string ok = pkt("ok refs/heads/a\n");
  for (const std::string& bytes :
       {std::string(), unpack, unpack + ok, std::string("0000"), ok + "0000", unpack + "zzzz",
        unpack + unpack + "0000", unpack + ok + ok + "0000", unpack + ok + "0000x",
        unpack + pkt("ok HEAD\n") + "0000", unpack + pkt("option x\n") + "0000",
        unpack + pkt("\n") + "0000", pkt("unpack\n") + "0000"}) {
    EXPECT_NE(error_of(bytes), "") << bytes;
  }
}

}  // namespace report_test
}  // namespace graspd::git
