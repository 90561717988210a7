#include <gtest/gtest.h>

#include "grasp/policy_testing.h"
#include "grasp/verification.h"

namespace graspd::grasp {
namespace verification_checks_test {

using namespace std::chrono_literals;
using testing::coordinate;

const git::Fingerprint kHere{1, 1, {10, 20}};
const git::Fingerprint kElsewhere{2, 1, {10, 20}};
const Coordinate kRepo = coordinate(1);
const Ruling kRuling{{testing::kStart, nostr::EventId()}, false};
const Looked kWell{.ruling = kRuling, .made_from = kHere};

class Checks : public ::testing::Test {
 protected:
  core::Now now{core::Instant(), testing::kStart};
  Verifications plan{{.compares = false}, core::Rng(1)};

  void SetUp() override { list(plan); }
  void list(Verifications& in) { in.list(now, kRepo, kRuling); }
  void pass(core::Duration time) {
    now.instant += time;
    now.unix_seconds += time / 1s;
  }
  bool look(const Looked& look = kWell) {
    if (!plan.begin(now)) return false;
    plan.looked(now, look);
    return true;
  }
  CheckNews lose(std::string what = "refs/heads/main is missing") {
    return plan.checked(now, kRepo,
                        {.made_of = kElsewhere, .behind = "not as signed", .lacking = what});
  }
  CheckNews find(const git::Fingerprint& data) {
    return plan.checked(now, kRepo, {.made_of = data});
  }
  GitHealth health() const { return *plan.find(kRepo); }
  Verifications restarted() {
    Verifications next({.compares = false}, core::Rng(2));
    for (const store::Note& note : plan.take_notes())
      if (auto kept = parse_verification(note.key, *note.value)) next.restore(*std::move(kept));
    return next;
  }
};

TEST_F(Checks, OfWhatWasVerifiedLeaveItVerified) {  // R7
  ASSERT_TRUE(look());
  pass(1min);
  EXPECT_EQ(find(kHere), CheckNews::None);
  EXPECT_TRUE(health().is_verified());
  EXPECT_EQ(health().synced_at, now.unix_seconds);
  EXPECT_FALSE(plan.begin(now));
}

TEST_F(Checks, OfOtherDataEndTheVerificationAndAskForALook) {  // R7
  ASSERT_TRUE(look());
  pass(1min);
  find(kElsewhere);
  EXPECT_FALSE(health().is_verified());
  EXPECT_FALSE(health().verified_at);
  EXPECT_TRUE(health().is_synced());
  EXPECT_EQ(plan.totals().unverified, 1U);
  EXPECT_TRUE(look({.ruling = kRuling, .made_from = kElsewhere}));
  EXPECT_TRUE(health().is_verified());
}

TEST_F(Checks, OfOnePackMoreBindTheRecordToThat) {  // R7
  ASSERT_TRUE(look());
  find({1, 1, {10, 15, 20}});
  EXPECT_TRUE(health().is_verified());
  EXPECT_FALSE(plan.begin(now));
  find(kHere);  // and that one is gone again
  EXPECT_FALSE(health().is_verified());
}

TEST_F(Checks, AreWaitedForAfterARestart) {  // R7
  ASSERT_TRUE(look());
  Verifications next = restarted();
  list(next);
  EXPECT_TRUE(next.needs_check(kRepo));
  EXPECT_FALSE(next.find(kRepo)->is_verified());
  EXPECT_FALSE(next.find(kRepo)->is_synced());
  EXPECT_EQ(next.totals().verified, 0U);
  next.checked(now, kRepo, {.made_of = kHere});
  EXPECT_TRUE(next.find(kRepo)->is_verified());
  EXPECT_EQ(next.totals().verified, 1U);
  EXPECT_FALSE(next.begin(now));
}

TEST_F(Checks, AfterARestartDoNotBelieveAFolderThatWasMadeAnew) {  // R7
  ASSERT_TRUE(look());
  Verifications next = restarted();
  list(next);
  next.checked(now, kRepo, {.made_of = kElsewhere});
  EXPECT_FALSE(next.find(kRepo)->is_verified());
  EXPECT_TRUE(next.begin(now));
}

TEST_F(Checks, DoNotBelieveRecordsThatAreBoundToNothing) {  // R7: as earlier versions wrote them
  ASSERT_TRUE(look({.ruling = kRuling}));
  Verifications next = restarted();
  list(next);
  next.checked(now, kRepo, {.made_of = kHere});
  EXPECT_FALSE(next.find(kRepo)->is_verified());
  EXPECT_TRUE(next.begin(now));
}

TEST_F(Checks, ThatFindALossSaySoOnce) {  // R8
  ASSERT_TRUE(look());
  plan.take_notes();
  EXPECT_EQ(lose(), CheckNews::Lost);
  EXPECT_EQ(lose(), CheckNews::None);
  EXPECT_EQ(plan.take_notes().size(), 1U);
  EXPECT_FALSE(health().is_synced());
  EXPECT_FALSE(health().is_verified());
  EXPECT_EQ(health().problem, "refs/heads/main is missing");
  EXPECT_TRUE(health().verified_at);  // it was, once
  EXPECT_TRUE(plan.is_lacking(kRepo));
  EXPECT_EQ(plan.totals().lacking, 1U);
  EXPECT_EQ(plan.meter().losses, 1U);
  EXPECT_EQ(plan.troubles(9).size(), 1U);
}

TEST_F(Checks, ThatFindALossBehindRefsInPlaceSaySoToo) {  // R8
  ASSERT_TRUE(look());
  EXPECT_EQ(plan.checked(now, kRepo, {.made_of = kElsewhere, .lacking = "an object is gone"}),
            CheckNews::Lost);
  EXPECT_FALSE(health().is_synced());
  EXPECT_FALSE(health().is_verified());
}

TEST_F(Checks, ThatFindItBackAskForALookAtOnce) {  // R8, whatever R4 says
  pass(1min);
  ASSERT_TRUE(plan.begin(now));
  pass(10min);
  plan.looked(now, kWell);
  lose();
  EXPECT_FALSE(plan.begin(now));
  EXPECT_EQ(find(kHere), CheckNews::Back);
  EXPECT_TRUE(health().is_broken());  // until it was looked at
  EXPECT_TRUE(look());
  EXPECT_TRUE(health().is_verified());
  EXPECT_EQ(plan.meter().repairs, 1U);
}

TEST_F(Checks, OutweighALookThatBeganBefore) {  // R8
  ASSERT_TRUE(plan.begin(now));
  lose();
  plan.looked(now, kWell);
  EXPECT_TRUE(health().is_broken());
  EXPECT_FALSE(health().is_verified());
}

TEST_F(Checks, OutweighALookThatFindsTheRefsInPlace) {  // R8
  ASSERT_TRUE(look());
  lose();
  plan.ask(now, kRepo);
  ASSERT_TRUE(look({.ruling = kRuling, .problem = "objects are missing"}));
  EXPECT_FALSE(health().is_synced());
  EXPECT_FALSE(health().is_verified());
  EXPECT_EQ(health().problem, "refs/heads/main is missing");
}

TEST_F(Checks, OfWhatDeclaresNothingFindNothing) {
  ASSERT_TRUE(look());
  lose();
  EXPECT_EQ(plan.checked(now, kRepo, {.declares = false}), CheckNews::Back);
  EXPECT_FALSE(plan.is_lacking(kRepo));
}

TEST_F(Checks, OfWhatIsNotListedAreNothing) {
  EXPECT_EQ(plan.checked(now, coordinate(2), {.lacking = "all"}), CheckNews::None);
  EXPECT_FALSE(plan.find(coordinate(2)));
}

TEST_F(Checks, GoOnWhereNobodyLooks) {
  Verifications plain({.compares = false, .looks = false}, core::Rng(1));
  list(plain);
  EXPECT_FALSE(plain.begin(now));
  EXPECT_EQ(plain.checked(now, kRepo, {.lacking = "it is gone"}), CheckNews::Lost);
  EXPECT_TRUE(plain.find(kRepo)->is_broken());
  EXPECT_FALSE(plain.begin(now));
  ASSERT_TRUE(plain.ask(now, kRepo));
  EXPECT_TRUE(plain.begin(now));
}

TEST_F(Checks, LooksThatAreAskedForAreAnswered) {  // R9
  ASSERT_TRUE(look());
  EXPECT_FALSE(plan.begin(now));
  EXPECT_FALSE(plan.ask(now, coordinate(2)));
  const auto number = plan.ask(now, kRepo);
  ASSERT_TRUE(number);
  EXPECT_EQ(plan.answers(*number, *number, kRepo, 10).waiting, 1U);
  ASSERT_TRUE(look({.ruling = kRuling, .problem = "torn"}));
  const auto answers = plan.answers(*number, *number, kRepo, 10);
  EXPECT_EQ(answers.waiting, 0U);
  ASSERT_EQ(answers.done.size(), 1U);
  EXPECT_EQ(answers.done[0].problem, "torn");
  EXPECT_TRUE(plan.answers(*number, answers.cursor, kRepo, 10).done.empty());
}

TEST_F(Checks, ALookThatBeganBeforeTheQuestionIsNoAnswer) {  // R9
  ASSERT_TRUE(plan.begin(now));
  const auto number = *plan.ask(now, std::nullopt);
  plan.looked(now, kWell);
  EXPECT_EQ(plan.answers(number, number, std::nullopt, 10).waiting, 1U);
  EXPECT_TRUE(look());
  EXPECT_EQ(plan.answers(number, number, std::nullopt, 10).done.size(), 1U);
}

TEST_F(Checks, AnswersComeInPortions) {  // R9
  for (std::uint32_t i = 2; i <= 5; ++i) plan.list(now, coordinate(i), kRuling);
  const auto number = *plan.ask(now, std::nullopt);
  while (look()) {
  }
  auto answers = plan.answers(number, number, std::nullopt, 3);
  EXPECT_EQ(answers.done.size(), 3U);
  EXPECT_EQ(answers.waiting, 2U);
  answers = plan.answers(number, answers.cursor, std::nullopt, 3);
  EXPECT_EQ(answers.done.size(), 2U);
  EXPECT_EQ(answers.waiting, 0U);
}

}  // namespace verification_checks_test
}  // namespace graspd::grasp
