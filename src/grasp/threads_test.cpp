#include "grasp/threads.h"

#include <gtest/gtest.h>

#include "grasp/policy_testing.h"

namespace graspd::grasp {
namespace threads_test {

using namespace testing;

// Repository 1 is gone, repository 2 is here.
class ThreadsTest : public ::testing::Test {
 protected:
  ThreadsTest() { keep(announcement(2)); }

  nostr::WireEventPtr keep(const nostr::WireEventPtr& wire) {
    EXPECT_TRUE(store_.write(std::vector<store::Write>{{wire, false}}, kStart));
    return wire;
  }
  nostr::WireEventPtr keep(std::uint16_t kind, const Rows& rows) {
    return keep(event(7, kind, kStart + ++count_, tags(rows)));
  }
  static std::string id(const nostr::WireEventPtr& wire) { return wire->event.id.hex(); }

  std::optional<EndedThreads> ended(const ThreadLimits& limits = {}) const {
    const auto in_pr_repository = [&](const PullRequest& pull) {
      return pull.id == in_pr_repository_;
    };
    return ended_threads({coordinate(1), gone_->event.id}, **store_.snapshot(), in_pr_repository,
                         kStart, limits);
  }
  void expect_ended(const Events& events) const {
    const auto found = ended();
    ASSERT_TRUE(found);
    std::set<nostr::EventId> ids, wanted;
    ids.insert(found->events.begin(), found->events.end());
    for (const auto& wire : events) wanted.insert(wire->event.id);
    EXPECT_EQ(ids, wanted);
    EXPECT_EQ(ids.size(), found->events.size());
  }

  const nostr::WireEventPtr gone_ = announcement(1);
  store::MemoryStore store_;
  nostr::EventId in_pr_repository_;
  int count_ = 0;
};

TEST_F(ThreadsTest, EndWithTheirRepository) {  // R1
  const auto issue = keep(1621, {{"a", address(1)}});
  const auto comment = keep(1111, {{"E", id(issue)}, {"A", address(1)}});
  const auto reply = keep(1111, {{"e", id(comment)}});
  const auto quoted = keep(1, {{"t", "quoted by an issue"}});
  const auto quoting = keep(1621, {{"a", address(1)}, {"q", id(quoted)}});
  const auto pull = keep(pull_request(8, 1));
  keep(1621, {{"a", address(2)}});
  keep(deletion(8, {{"e", id(issue)}}));
  keep(state(1));
  expect_ended({issue, comment, reply, quoted, quoting, pull});
  ASSERT_EQ(ended()->pulls.size(), 1U);
  EXPECT_EQ(ended()->pulls[0].id, pull->event.id);
}

TEST_F(ThreadsTest, MayNameTheAnnouncementByItsId) {  // R1
  expect_ended({keep(1633, {{"e", id(gone_)}}), keep(1, {{"q", id(gone_)}})});
}

TEST_F(ThreadsTest, TakeTheStatesOfTheLastRepositoryOfItsNameWithThem) {  // R5
  const auto other = keep(state(9, 'a', kStart, "other"));
  const auto gone = [&] {
    const auto in_pr_repository = [](const PullRequest&) { return false; };
    return ended_threads({coordinate(9, "other"), {}}, **store_.snapshot(), in_pr_repository,
                         kStart);
  };
  ASSERT_TRUE(gone());
  ASSERT_EQ(gone()->states.size(), 1U);
  EXPECT_EQ(gone()->states.front().id, other->event.id);
  EXPECT_EQ(gone()->states.front().key, coordinate(9, "other"));
  keep(announcement(3, {.identifier = "other"}));
  EXPECT_TRUE(gone()->states.empty());
}

TEST_F(ThreadsTest, StayWhenAnAnchorIsInThem) {  // R2
  const auto shared = keep(1621, {{"a", address(1)}, {"a", address(2)}});
  keep(1111, {{"E", id(shared)}});
  const auto issue = keep(1621, {{"a", address(1)}});
  const auto comment = keep(1111, {{"e", id(issue)}});
  keep(1111, {{"e", id(comment)}, {"q", address(2)}});
  const auto listed = keep(1621, {{"a", address(1)}});
  keep(10317, {{"e", id(listed)}});
  const auto pull = keep(pull_request(8, 1));
  in_pr_repository_ = pull->event.id;
  keep(1111, {{"E", id(pull)}});
  expect_ended({});
}

TEST_F(ThreadsTest, KeepNoPullRequestForNothing) {  // R3
  const auto issue = keep(1621, {{"a", address(1)}, {"a", address(2)}});
  const auto pull = keep(1618, {{"a", address(1)}, {"c", oid('b')}, {"e", id(issue)}});
  keep(1618, {{"a", address(1)}, {"a", address(2)}, {"c", oid('b')}});
  expect_ended({pull});
}

TEST_F(ThreadsTest, DoNotEndWhenTheyAreTooLong) {  // R4
  for (int i = 0; i < 10; ++i) keep(1621, {{"a", address(1)}});
  EXPECT_EQ(ended()->events.size(), 10U);
  EXPECT_FALSE(ended({.events_max = 9}));
  EXPECT_FALSE(ended({.references_max = 9}));
  EXPECT_FALSE(ended({.ended_max = 9}));
}

}  // namespace threads_test
}  // namespace graspd::grasp
