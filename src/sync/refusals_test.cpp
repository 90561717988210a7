#include "sync/refusals.h"

#include "gtest/gtest.h"
#include "sync/parts_testing.h"

namespace graspd::sync {
namespace refusals_test {

using namespace parts_testing;
using Purpose = Wire::Purpose;
using Request = Remedy::Request;

Wire wire(Purpose purpose, std::size_t filters = 1) {
  Wire out;
  out.purpose = purpose;
  out.filters = filters;
  return out;
}

TEST(Refusals, HalveTheFiltersOfARequest) {  // R1
  Bench bench;
  const Remedy remedy =
      bench.refusals.learn(bench.now, wire(Purpose::Sweep, 8), "error: max filter count exceeded");
  EXPECT_EQ(remedy.request, Request::OneByOne);
  EXPECT_TRUE(remedy.replan_live);
  EXPECT_EQ(bench.memory.lessons.filters_per_req_max, 4u);
  EXPECT_EQ(bench.peer.budget.filters_per_req, 4u);
  EXPECT_TRUE(bench.memory.dirty);
}

TEST(Refusals, AskForFewerIdsUntilThatIsOne) {  // R1
  Bench bench;
  const std::string text = "limit too large";
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(bench.refusals.learn(bench.now, wire(Purpose::Fetch), text).request, Request::Again);
  }
  EXPECT_EQ(bench.peer.budget.ids_max, 1u);
  EXPECT_EQ(bench.refusals.learn(bench.now, wire(Purpose::Fetch), text).request, Request::Later);
}

TEST(Refusals, ShareFewerSlotsWhenTooMuchIsOpen) {  // R1
  Bench bench;
  bench.peer.budget.transients_max = 2;
  const std::string text = "too many concurrent REQs";
  Remedy remedy = bench.refusals.learn(bench.now, wire(Purpose::Page), text);
  EXPECT_EQ(bench.peer.budget.transients_max, 1u);
  EXPECT_FALSE(remedy.make_space);
  EXPECT_EQ(remedy.not_before, bench.now.instant + 1s);
  for (int i = 0; i < 3; ++i) bench.open(Purpose::Live);
  remedy = bench.refusals.learn(bench.now, wire(Purpose::Page), text);
  EXPECT_EQ(bench.peer.budget.slots, 3u);
  EXPECT_EQ(bench.peer.budget.live_slots, 2u);
  EXPECT_TRUE(remedy.make_space);
}

TEST(Refusals, ShrinkWhatTheRelayKeepsForUs) {  // R1
  Bench bench;
  const std::string text = "active subscriptions exceed max size of 8000 bytes";
  const Remedy remedy = bench.refusals.learn(bench.now, wire(Purpose::Live), text);
  EXPECT_TRUE(remedy.replan_live && remedy.make_space && remedy.fit_bytes);
  EXPECT_EQ(bench.memory.lessons.retained_bytes_max, 8000u);
  bench.refusals.learn(bench.now, wire(Purpose::Live), text);
  EXPECT_EQ(bench.memory.lessons.retained_bytes_max, 6000u);
}

TEST(Refusals, MakeAPauseAndAskAgain) {  // R2
  Bench bench;
  const Remedy remedy =
      bench.refusals.learn(bench.now, wire(Purpose::Page), "rate-limited: slow down");
  EXPECT_EQ(remedy.request, Request::Again);
  EXPECT_TRUE(bench.memory.health.is_paused(bench.now));
  EXPECT_LT(bench.wires.pace().per_minute(), 100u);
}

TEST(Refusals, PauseAClassOfRequestsForADay) {  // R3
  Bench bench;
  EXPECT_EQ(bench.refusals.learn(bench.now, wire(Purpose::Page), "blocked: go away").request,
            Request::Unwelcome);
  bench.refusals.unwelcome(bench.now, RequestClass::Roots, "blocked: go away");
  EXPECT_TRUE(bench.memory.is_paused(RequestClass::Roots, bench.now));
  EXPECT_FALSE(bench.memory.is_paused(RequestClass::Ids, bench.now));
  bench.pass(24h);
  EXPECT_FALSE(bench.memory.is_paused(RequestClass::Roots, bench.now));
}

TEST(Refusals, AreWorthSayingWhoWeAreOnce) {
  Bench bench;
  Wire unknown = wire(Purpose::Page);
  const std::string text = "auth-required: who are you?";
  EXPECT_EQ(bench.refusals.learn(bench.now, unknown, text).request, Request::Again);
  bench.authentication.answered(true);
  unknown.authenticated = true;
  EXPECT_EQ(bench.refusals.learn(bench.now, unknown, text).request, Request::Unwelcome);
}

TEST(Refusals, LeadFromAReconciliationToLessTimeOrToPages) {  // R4
  Bench bench;
  const auto learn = [&](const std::string& text, NegProblem problem = NegProblem::Refused) {
    const NegFailed failed{bench.memory.id, Session{7}, Sub{1}, problem, text, {}, {}};
    return bench.refusals.learn(bench.now, wire(Purpose::Reconcile), failed).request;
  };
  EXPECT_EQ(learn("blocked: too many records"), Request::SplitByTime);
  EXPECT_EQ(learn("", NegProblem::OursTooLarge), Request::SplitByTime);
  EXPECT_EQ(learn("", NegProblem::OursUnread), Request::Fail);
  EXPECT_EQ(learn("rate limit"), Request::Again);
  EXPECT_EQ(learn("unknown command"), Request::Pages);
  EXPECT_TRUE(bench.refusals.no_negentropy(bench.now, "unknown command"));
  EXPECT_FALSE(may_reconcile({}, bench.memory.lessons, bench.now.unix_seconds));
  EXPECT_TRUE(may_reconcile({}, bench.memory.lessons, bench.now.unix_seconds + 8 * 86'400));
}

TEST(Refusals, DoNotTakeSilenceForOneOfARelayThatReconciled) {  // R4
  Bench bench;
  bench.memory.lessons.negentropy_worked = true;
  EXPECT_FALSE(bench.refusals.no_negentropy(bench.now, "silence"));
  EXPECT_TRUE(bench.memory.lessons.negentropy_worked);
}

TEST(Refusals, FindTheRequestThatANoticeIsAbout) {  // R5
  Bench bench;
  const Sub live = bench.open(Purpose::Live);
  const Sub page = bench.open(Purpose::Page);
  bench.pass(1s);
  const Sub set = bench.reconcile();
  EXPECT_EQ(bench.refusals.addressee("limit must be positive"), live);
  EXPECT_EQ(bench.refusals.addressee("limit must be at most 100"), page);
  EXPECT_EQ(bench.refusals.addressee("slow down"), set);
  EXPECT_EQ(bench.refusals.addressee("too many records"), set);
  EXPECT_EQ(bench.refusals.addressee("good morning"), std::nullopt);
  bench.wires.find(live)->heard = true;
  EXPECT_EQ(bench.refusals.addressee("limit must be positive"), std::nullopt);
}

}  // namespace refusals_test
}  // namespace graspd::sync
