#include "serve/host/pull_intake.h"

#include <future>
#include <gtest/gtest.h>

#include "serve/host/grasp_host_testing.h"

namespace graspd::serve {
namespace pull_intake_test {

using namespace host_testing;

constexpr std::uint8_t kOwner = 1, kContributor = 2, kStranger = 3;

// A served repository, and pull requests for a commit that it has.
class IncomingPull : public ::testing::Test {
 protected:
  IncomingPull() {
    const git::Oid tip = serve_project(world, kOwner);
    pull = signed_event(kContributor, 1618, {{"a", address_of(kOwner)}, {"c", tip.hex()}});
    CHECK(world.ask(pull) == Outcome::Stored);
    world.host->close();  // with its own intake
  }
  ~IncomingPull() override {
    intake.stop();
    alignments.stop();
  }
  Hosting& hosting() { return world.host->hosting(); }
  bool has_ref(const nostr::EventId& id) {
    const auto here = gitio::Repository::open(hosting().path(project_of(kOwner)));
    return here && here->find(pull_ref(id)).has_value();
  }
  // Stored, and not followed by anybody else.
  nostr::Event status(std::uint8_t by, std::uint16_t kind, core::UnixSeconds later = 0) {
    auto event = signed_event(by, kind, {{"e", pull.id.hex()}, {"a", address_of(kOwner)}});
    event.created_at += later;
    keypair(by).sign(event, {});
    CHECK(world.ask(event) == Outcome::Stored);
    return event;
  }

  Host world;
  nostr::Event pull;
  std::vector<grasp::Coordinate> touched;
  Alignments alignments{hosting(), 1};
  PullIntake intake{hosting(), alignments, 1,
                    [this](const auto& repository) { touched.push_back(repository); }};
};

TEST_F(IncomingPull, R1_IsAnsweredWhenItWasLookedAt) {
  auto another = pull;
  another.content = "another";
  keypair(kContributor).sign(another, {});
  ASSERT_TRUE(hosting().change_and_wait(
      [&](grasp::Policy& policy, core::UnixSeconds now, grasp::Transition& changes) {
        policy.decide(wired(another), {}, now, changes);
      }));
  std::promise<nostr::Outcome> outcome;
  intake.add(wired(another),
             [&](const nostr::Answer& answer) { outcome.set_value(answer.outcome); });
  EXPECT_EQ(outcome.get_future().get(), nostr::Outcome::Stored);
  EXPECT_TRUE(world.store.contains(another.id));
  EXPECT_TRUE(has_ref(another.id));
}

TEST_F(IncomingPull, R2_LosesItsRefWhenItIsClosedAndHasItAgainWhenItIsOpened) {
  ASSERT_TRUE(has_ref(pull.id));
  intake.follow_status(status(kOwner, 1632));
  EXPECT_FALSE(has_ref(pull.id));
  EXPECT_EQ(touched, std::vector{project_of(kOwner)});
  intake.follow_status(status(kOwner, 1630, 1));
  EXPECT_TRUE(has_ref(pull.id));
}

TEST_F(IncomingPull, R2_IsNotClosedByAnybodyElse) {
  EXPECT_TRUE(intake.may_set_status(keypair(kOwner).public_key()));
  EXPECT_FALSE(intake.may_set_status(keypair(kStranger).public_key()));
  intake.follow_status(status(kStranger, 1632));
  EXPECT_TRUE(has_ref(pull.id));
}

TEST_F(IncomingPull, LosesItsRefWithItsEvent) {
  intake.drop_refs({pull.id}, {project_of(kOwner).identifier});
  EXPECT_FALSE(has_ref(pull.id));
}

}  // namespace pull_intake_test
}  // namespace graspd::serve
