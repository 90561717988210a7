#include "serve/fetch/verifier.h"

#include <gtest/gtest.h>

#include "serve/host/grasp_host_testing.h"
#include "serve/runtime/waiting_testing.h"

namespace graspd::serve {
namespace verifier_test {

using namespace host_testing;
using waiting::comes_true;

constexpr std::uint8_t kOwner = 1;

// A repository that is served with one commit, and a verifier that nobody has opened yet.
class ServedRepository : public ::testing::Test {
 protected:
  ServedRepository() {
    CHECK(world.ask(announcement(kOwner, "us.example")) == Outcome::Held);
    // Made elsewhere: an empty repository of a waiting announcement would be removed.
    const auto made = gitio::testing::make_repository(elsewhere_.path() / "made");
    commit = gitio::testing::commit(made, "text");
    std::filesystem::create_directories(folder().parent_path());
    std::filesystem::rename(made, folder());
    const auto state = signed_event(
        kOwner, 30618,
        {{"d", "project"}, {"refs/heads/main", commit.hex()}, {"HEAD", "ref: refs/heads/main"}});
    CHECK(world.ask(state) == Outcome::Stored);
  }

  void open(core::Duration check_interval = std::chrono::hours(1)) {
    VerifierOptions options;
    options.own = *grasp::Service::parse("us.example");
    options.plan.compares = false;
    options.check_interval = check_interval;
    verifier.emplace(std::move(options), *world.host);
    verifier->open(nullptr);
  }
  std::filesystem::path folder() { return world.host->hosting().path(coordinate); }
  std::filesystem::path commit_file() {
    const std::string hex = commit.hex();
    return folder() / "objects" / hex.substr(0, 2) / hex.substr(2);
  }
  void lose_commit() { std::filesystem::rename(commit_file(), folder() / "lost"); }
  void find_commit() { std::filesystem::rename(folder() / "lost", commit_file()); }
  std::string main_ref() { return gitio::testing::git(folder(), {"rev-parse", "refs/heads/main"}); }
  bool is_verified() {
    const auto health = verifier->health(coordinate);
    return health && health->is_synced() && health->is_verified();
  }
  bool is_broken() {
    const auto health = verifier->health(coordinate);
    return health && health->is_broken();
  }

  bool is_noted_as_verified() {
    bool noted = false;
    CHECK(
        (*world.store.snapshot())
            ->notes(grasp::kVerificationPrefix, [&](std::string_view key, std::string_view value) {
              const auto kept = grasp::parse_verification(key, value);
              noted = kept && kept->record.health.is_verified();
            }));
    return noted;
  }

  Host world;
  const grasp::Coordinate coordinate = project_of(kOwner);
  git::Oid commit;
  std::optional<Verifier> verifier;

 private:
  gitio::testing::TemporaryFolder elsewhere_;
};

TEST_F(ServedRepository, IsFoundVerifiedWithoutBeingAskedFor) {
  open();
  EXPECT_TRUE(comes_true([this] { return is_verified(); }));
  EXPECT_EQ(verifier->known_loss(coordinate).value_or(""), "");
  EXPECT_TRUE(verifier->plan().troubles(10).empty());
}

TEST_F(ServedRepository, GetsItsSignedRefsBackWhenSomebodyMovedThem) {  // R1
  open();
  ASSERT_TRUE(comes_true([this] { return is_verified(); }));
  gitio::testing::set_ref(folder(), "refs/heads/main", gitio::testing::commit(folder(), "other"));
  ASSERT_TRUE(verifier->plan().ask(coordinate));
  EXPECT_TRUE(comes_true([this] { return main_ref() == commit.hex(); }));
  EXPECT_TRUE(comes_true([this] { return is_verified(); }));
}

TEST_F(ServedRepository, IsNeitherSyncedNorVerifiedOnceItLacksAnObject) {  // R6
  open();
  ASSERT_TRUE(comes_true([this] { return is_verified(); }));
  lose_commit();
  ASSERT_TRUE(verifier->plan().ask(coordinate));
  EXPECT_TRUE(comes_true([this] { return is_broken(); }));
  EXPECT_NE(verifier->look_for_loss(coordinate), "");
  const auto health = verifier->health(coordinate);
  EXPECT_FALSE(health->is_synced());
  EXPECT_FALSE(health->is_verified());
  EXPECT_EQ(verifier->plan().troubles(10).size(), 1U);
}

TEST_F(ServedRepository, HasItsLossFoundByTheNextCheckAndIsWholeAgainWithItsData) {  // R5
  open(core::Duration(10));
  ASSERT_TRUE(comes_true([this] { return is_verified(); }));
  lose_commit();
  EXPECT_TRUE(comes_true([this] { return is_broken(); }));
  find_commit();
  EXPECT_EQ(verifier->look_for_loss(coordinate), "");
  ASSERT_TRUE(verifier->plan().ask(coordinate));
  EXPECT_TRUE(comes_true([this] { return is_verified(); }));
}

TEST_F(ServedRepository, IsRememberedAsVerifiedByTheNextRun) {
  open();
  ASSERT_TRUE(comes_true([this] { return is_verified(); }));
  EXPECT_TRUE(
      comes_true([this] { return !world.store.notes(grasp::kVerificationPrefix).empty(); }));
  verifier->close();
  open();
  EXPECT_TRUE(verifier->health(coordinate)->verified_at);
}

TEST_F(ServedRepository, IsLeftAloneAfterTheVerifierCloses) {  // R4
  open(core::Duration(10));
  ASSERT_TRUE(verifier->plan().ask(std::nullopt));
  verifier->close();
  const git::Oid other = gitio::testing::commit(folder(), "other");
  gitio::testing::set_ref(folder(), "refs/heads/main", other);
  verifier->plan().ask(coordinate);
  verifier->close();  // again, which does nothing
  EXPECT_EQ(main_ref(), other.hex());
}

}  // namespace verifier_test
}  // namespace graspd::serve
