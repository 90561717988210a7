#include "sync/peer_session.h"

#include "gtest/gtest.h"
#include "sync/parts_testing.h"

namespace graspd::sync {
namespace peer_session_test {

using namespace parts_testing;

struct Connected : Bench {
  PeerSession session{context, memory, Session{7}, now};

  Connected() : Bench({.negentropy = false}) { session.start_fresh(now, Source::Historic); }
  std::vector<Subscribe> pump() {
    session.tick(now);
    session.pump(now);
    session.check_invariants();
    return take<Subscribe>();
  }
  EventArrived event(Sub sub, std::uint32_t number, std::uint64_t matched = 1) const {
    return {memory.id, Session{7}, sub, id(number), 5, matched, {}};
  }
  void judge(Sub sub, std::uint32_t number, nostr::Outcome outcome) {
    session.on(now, EventJudged{memory.id, Session{7}, sub, id(number), 5, outcome});
  }
};

TEST(PeerSession, KnowsOfAnEventWhoseRequestIsOver) {  // R1
  Connected one;
  one.pump();
  one.memory.lose(id(1), one.now.instant + 1h);
  one.judge(Sub{999}, 1, nostr::Outcome::Stored);
  EXPECT_EQ(one.memory.lost.size(), 0u);
  one.judge(Sub{999}, 2, nostr::Outcome::Failed);
  EXPECT_EQ(one.memory.lost.size(), 1u);
}

TEST(PeerSession, EndsARequestWhenAllItBroughtIsJudged) {  // R2
  Connected one;
  const Sub page = one.pump().at(1).sub;
  one.session.on(one.now, one.event(page, 1));
  one.session.on(one.now,
                 EndOfStored{one.memory.id, Session{7}, page, nostr::Completeness::Finished});
  EXPECT_FALSE(one.memory.announcements_synced);
  one.judge(page, 1, nostr::Outcome::Held);
  EXPECT_TRUE(one.memory.announcements_synced);
}

TEST(PeerSession, SendsLiveFiltersFirstAndNothingDuringAPause) {  // R3
  Connected one;
  one.memory.health.rate_limited(one.context.options, one.now, {});
  EXPECT_TRUE(one.pump().empty());
  one.pass(2min);
  const auto sent = one.pump();
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_EQ(sent[0].source, Source::Live);
  EXPECT_EQ(sent[1].source, Source::Historic);
}

TEST(PeerSession, SendsNothingWhileTheRelayFindsOutWhoWeAre) {  // R3
  Connected one;
  const auto sent = one.pump();
  for (const Subscribe& request : sent)
    one.session.on(one.now, Closed{one.memory.id, Session{7}, request.sub, "auth-required: who?"});
  EXPECT_TRUE(one.pump().empty());
  one.session.on(one.now, Authenticated{one.memory.id, Session{7}, true, ""});
  EXPECT_EQ(one.pump().size(), 2u);
}

TEST(PeerSession, LeavesWhoForgesOrSendsWhatNobodyAskedFor) {  // R4
  Connected one;
  const Sub page = one.pump().at(1).sub;
  for (std::uint32_t i = 0; i < 99; ++i) one.session.on(one.now, one.event(page, i, 0));
  EXPECT_EQ(one.session.offence(), "");
  one.session.on(one.now, one.event(page, 100));
  one.judge(page, 100, nostr::Outcome::Forged);
  EXPECT_EQ(one.session.offence(), "sends forged events");
}

TEST(PeerSession, IsCaughtUpWhenLiveIsOpenAndHistoryIsRead) {
  Connected one;
  const auto sent = one.pump();
  EXPECT_TRUE(one.session.is_syncing(one.now));
  for (const Subscribe& request : sent)
    one.session.on(one.now, EndOfStored{one.memory.id, Session{7}, request.sub,
                                        nostr::Completeness::Finished});
  EXPECT_TRUE(one.session.is_caught_up(one.now));
  EXPECT_FALSE(one.session.has_gaps());
  one.session.check_books();
}

}  // namespace peer_session_test
}  // namespace graspd::sync
