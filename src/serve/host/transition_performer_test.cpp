#include "serve/host/transition_performer.h"

#include <gtest/gtest.h>

#include "serve/host/grasp_host_testing.h"

namespace graspd::serve {
namespace transition_performer_test {

using namespace host_testing;

constexpr std::uint8_t kOwner = 1;

// A host whose own parts have ended, and others that do what is performed here.
class Performed : public ::testing::Test {
 protected:
  Performed() { world.host->close(); }
  ~Performed() override { end(); }
  void end() {  // what is queued is done
    workers.stop();
    pulls.stop();
    maintenance.stop();
    threads.stop();
    alignments.stop();
  }
  Hosting& hosting() { return world.host->hosting(); }

  Host world;
  Workers workers{1};
  Alignments alignments{hosting(), 1};
  RepositoryMaintenance maintenance{hosting()};
  ThreadArchive threads{hosting()};
  PullIntake pulls{hosting(), alignments, 1, [](const grasp::Coordinate&) {}};
  TransitionPerformer performer{{hosting(), workers, alignments, maintenance, threads, pulls}};
};

TEST_F(Performed, RemovesRepositories) {
  gitio::testing::make_repository(hosting().path(project_of(kOwner)));
  grasp::Transition changes;
  changes.add(grasp::RemoveRepository{project_of(kOwner)});
  performer.perform(std::move(changes));
  end();
  EXPECT_FALSE(hosting().has_repository(project_of(kOwner)));
}

TEST_F(Performed, DropsRefsOfPullRequests) {
  Host served;
  const git::Oid tip = serve_project(served, kOwner);
  const auto pull = signed_event(2, 1618, {{"a", address_of(kOwner)}, {"c", tip.hex()}});
  ASSERT_EQ(served.ask(pull), Outcome::Stored);
  // The host's own performer: it follows from the deletion.
  ASSERT_EQ(served.ask(signed_event(2, 5, {{"e", pull.id.hex()}})), Outcome::Stored);
  served.host->close();
  const auto here = gitio::Repository::open(served.host->hosting().path(project_of(kOwner)));
  EXPECT_FALSE(here->find(pull_ref(pull.id)));
}

TEST_F(Performed, AsksForTogetherWhatIsWantedFromOneRelay) {
  std::vector<std::size_t> asked;
  performer.on_wanted_again([&](const nostr::RelayUrl&, const std::vector<nostr::EventId>& ids) {
    asked.push_back(ids.size());
  });
  const auto one = announcement(1, "us.example"), two = announcement(2, "us.example");
  grasp::Transition changes;
  for (const nostr::Event& event : {one, two}) changes.add(grasp::AskAgain{*world.peer, event.id});
  performer.perform(std::move(changes));
  EXPECT_EQ(asked, std::vector<std::size_t>{2});
}

TEST_F(Performed, HasEventsDecidedOnceMore) {
  const auto about_nothing = signed_event(3, 1621, {{"a", address_of(kOwner)}});
  grasp::Transition changes;
  changes.add(grasp::Retry{wired(about_nothing), {}});
  performer.perform(std::move(changes));
  EXPECT_EQ(world.fate(about_nothing), Outcome::Refused);
}

}  // namespace transition_performer_test
}  // namespace graspd::serve
