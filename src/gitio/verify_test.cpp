#include "gitio/verify.h"

#include <filesystem>
#include <gtest/gtest.h>

#include "gitio/repositories_testing.h"

namespace graspd::gitio {
namespace verify_test {

namespace fs = std::filesystem;
using testing::blob;
using testing::commit;
using testing::git;
using testing::make_repository;
using testing::oid;
using testing::ref_name;
using testing::set_ref;

class Verifying : public ::testing::Test {
 protected:
  const testing::TemporaryFolder folder;
  const fs::path repository = make_repository(folder.path() / "a.git");
  const git::Oid first = commit(repository, "one");
  const git::Oid tip = commit(repository, "two", {first});
  const git::RefName main = ref_name("refs/heads/main");
  const git::RefName tag = ref_name("refs/tags/v1");
  const git::Refs declared{{main, tip}, {tag, first}};

  void SetUp() override {
    for (const auto& [ref, value] : declared) set_ref(repository, ref.text(), value);
    git(repository, {"symbolic-ref", "HEAD", main.text()});
  }
  Verification verified(const VerifyOptions& options = {}) const {
    auto result = verify(repository, declared, main, options);
    CHECK(result);
    return *std::move(result);
  }
  void lose(const git::Oid& object) const {
    const std::string hex = object.hex();
    ASSERT_TRUE(fs::remove(repository / "objects" / hex.substr(0, 2) / hex.substr(2)));
  }
};

TEST_F(Verifying, R1_IsContentWithWhatIsDeclared) {
  set_ref(repository, "refs/nostr/" + std::string(64, 'a'), first);
  EXPECT_TRUE(verified().ok());
}

TEST_F(Verifying, R4_LooksQuicklyAtRefsAndTheirObjects) {
  auto look = look_quickly(repository, declared, main);
  ASSERT_TRUE(look);
  EXPECT_TRUE(look->verification.ok());
  EXPECT_FALSE(look->is_hollow);
  EXPECT_EQ(look->verification.tips, git::tips_of(declared));
  const git::Fingerprint before = look->fingerprint;
  lose(tip);
  look = look_quickly(repository, declared, main);
  EXPECT_TRUE(look->is_hollow);
  EXPECT_EQ(look->verification.problems,
            (std::vector<Problem>{{ProblemKind::ObjectMissing, main, tip, std::nullopt}}));
  EXPECT_EQ(look->fingerprint, before);
  lose(first);
  git(repository, {"update-ref", "-d", "refs/heads/main"});
  git(repository, {"update-ref", "-d", "refs/tags/v1"});
  look = look_quickly(repository, declared, main);
  EXPECT_TRUE(look->is_hollow);
  EXPECT_NE(look->fingerprint, before);
  fs::remove_all(repository);
  EXPECT_FALSE(look_quickly(repository, declared, main));
}

TEST_F(Verifying, R4_DoesNotCallHollowWhatIsOnlyAtAnotherState) {
  const git::Oid newer = oid(std::string(40, 'a'));
  const auto look = look_quickly(repository, {{main, newer}, {tag, first}}, main);
  ASSERT_TRUE(look);
  EXPECT_FALSE(look->is_hollow);
  EXPECT_EQ(look->verification.problems_total, 2U);
}

TEST_F(Verifying, R1_NamesRefsThatDiffer) {
  set_ref(repository, "refs/heads/main", first);
  set_ref(repository, "refs/heads/other", tip);
  git(repository, {"update-ref", "-d", "refs/tags/v1"});
  const auto result = verified();
  EXPECT_FALSE(result.ok());
  EXPECT_EQ(result.problems,
            (std::vector<Problem>{
                {ProblemKind::RefElsewhere, main, tip, first},
                {ProblemKind::RefMissing, tag, first, std::nullopt},
                {ProblemKind::RefUndeclared, ref_name("refs/heads/other"), std::nullopt, tip}}));
}

TEST_F(Verifying, R1_NamesAHeadThatIsElsewhere) {
  git(repository, {"symbolic-ref", "HEAD", "refs/heads/other"});
  const auto result = verified();
  ASSERT_EQ(result.problems.size(), 1u);
  EXPECT_EQ(result.problems[0].kind, ProblemKind::HeadElsewhere);
  EXPECT_TRUE(verify(repository, declared, ref_name("refs/heads/undeclared"))->ok());
}

TEST_F(Verifying, R1_NamesTipsWhoseObjectIsGone) {
  lose(tip);
  const auto result = verified();
  ASSERT_EQ(result.problems.size(), 1u);
  EXPECT_EQ(result.problems[0].kind, ProblemKind::ObjectMissing);
  EXPECT_EQ(result.problems[0].ref, main);
}

TEST_F(Verifying, R2_FindsAHoleBelowTheRefs) {
  lose(blob(repository, "one"));
  const auto result = verified();
  ASSERT_EQ(result.problems.size(), 1u);
  EXPECT_EQ(result.problems[0].kind, ProblemKind::Torn);
}

TEST_F(Verifying, R1_WalksWhatPullRequestsBrought) {
  const git::Oid base = commit(repository, "three");
  const git::Oid offered = commit(repository, "four", {base});
  const std::string pull = "refs/nostr/" + std::string(64, 'a');
  set_ref(repository, pull, offered);
  EXPECT_TRUE(verified().ok());
  EXPECT_EQ(verified().tips.size(), 3u);
  lose(base);
  EXPECT_EQ(verified().problems.at(0).kind, ProblemKind::Torn);
  lose(offered);
  const auto result = verified();
  ASSERT_EQ(result.problems.size(), 1u);
  EXPECT_EQ(result.problems[0].kind, ProblemKind::ObjectMissing);
  EXPECT_EQ(result.problems[0].ref, ref_name(pull));
  EXPECT_EQ(result.tips.size(), 3u);
}

TEST_F(Verifying, R3_NamesTheFirstProblemsAndCountsAll) {
  for (int i = 0; i < 30; ++i) set_ref(repository, "refs/heads/x" + std::to_string(i), tip);
  const auto result = verified({.problems_max = 4});
  EXPECT_EQ(result.problems_total, 30u);
  EXPECT_EQ(result.problems.size(), 4u);
}

TEST_F(Verifying, IsAFailureWithoutARepository) {
  EXPECT_FALSE(verify(folder.path() / "b.git", declared, std::nullopt));
}

TEST_F(Verifying, ComparesWhatAPeerServes) {
  const RemoteRefs same{{{main, tip}, {tag, first}, {ref_name("refs/nostr/x"), tip}}, main};
  EXPECT_TRUE(compare(declared, same).ok());
  const auto result = compare(declared, {{{main, first}}, main});
  EXPECT_EQ(result.problems, (std::vector<Problem>{{ProblemKind::RefElsewhere, main, tip, first},
                                                   {ProblemKind::RefMissing, tag, first, {}}}));
}

}  // namespace verify_test
}  // namespace graspd::gitio
