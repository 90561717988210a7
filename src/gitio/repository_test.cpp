#include "gitio/repository.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "gitio/ref_store.h"
#include "gitio/repositories_testing.h"

namespace graspd::gitio {
namespace repository_test {

namespace fs = std::filesystem;
using testing::commit;
using testing::git;
using testing::make_repository;
using testing::oid;
using testing::ref_name;
using testing::set_ref;

class Repositories : public ::testing::Test {
 protected:
  const testing::TemporaryFolder folder;
  const fs::path path = make_repository(folder.path() / "owner" / "a.git");

  Repository open() const {
    auto repository = Repository::open(path);
    CHECK(repository);
    return *std::move(repository);
  }
};

TEST_F(Repositories, AreMadeAsGitUnderstandsThem) {
  EXPECT_EQ(git(path, {"rev-parse", "--is-bare-repository"}), "true");
  EXPECT_EQ(git(path, {"symbolic-ref", "HEAD"}), "refs/heads/master");
  EXPECT_EQ(git(path, {"fsck"}), "");
  EXPECT_EQ(open().head(), ref_name("refs/heads/master"));
  EXPECT_TRUE(open().heads_and_tags()->empty());
}

TEST_F(Repositories, R3_AreMadeOnce) {
  const git::Oid tip = commit(path, "one");
  set_ref(path, "refs/heads/main", tip);
  ASSERT_TRUE(Repository::create(path, ref_name("refs/heads/other")));
  EXPECT_EQ(open().head(), ref_name("refs/heads/master"));
  EXPECT_EQ(open().heads_and_tags()->size(), 1u);
}

TEST_F(Repositories, R3_AreMadeAlthoughAnAttemptWasCutOff) {
  const fs::path other = folder.path() / "owner" / "b.git";
  fs::create_directories(folder.path() / "owner" / ".b~" / "objects");
  std::ofstream(folder.path() / "owner" / ".b~" / "HEAD") << "ref: re";
  ASSERT_TRUE(Repository::create(other, ref_name("refs/heads/master")));
  EXPECT_EQ(git(other, {"symbolic-ref", "HEAD"}), "refs/heads/master");
  EXPECT_FALSE(fs::exists(folder.path() / "owner" / ".b~"));
}

TEST_F(Repositories, SayWhyTheyCannotBeOpened) {
  EXPECT_FALSE(Repository::open(folder.path() / "nowhere.git"));
  EXPECT_FALSE(Repository::open(folder.path()));  // nor is one looked for further up
}

TEST_F(Repositories, ShowLooseAndPackedRefsOfTheSpacesAskedFor) {
  const git::Oid one = commit(path, "one"), two = commit(path, "two", {one});
  set_ref(path, "refs/heads/deep/name", one);
  set_ref(path, "refs/heads/main", one);
  git(path, {"tag", "-a", "-m", "v1", "v1", one.hex()});
  git(path, {"pack-refs", "--all"});
  set_ref(path, "refs/heads/main", two);
  const std::string id(64, 'a');
  set_ref(path, "refs/nostr/" + id, two);
  set_ref(path, "refs/other/x", two);
  git(path, {"symbolic-ref", "refs/heads/alias", "refs/heads/main"});

  const git::Oid tag = oid(git(path, {"rev-parse", "refs/tags/v1"}));
  EXPECT_EQ(*open().heads_and_tags(), (git::Refs{{ref_name("refs/heads/deep/name"), one},
                                                 {ref_name("refs/heads/main"), two},
                                                 {ref_name("refs/tags/v1"), tag}}));
  using enum git::RefName::Space;
  EXPECT_EQ(*open().refs(std::array{Nostr}), (git::Refs{{ref_name("refs/nostr/" + id), two}}));
  EXPECT_EQ(*open().refs(std::array{Other}), (git::Refs{{ref_name("refs/other/x"), two}}));
}

TEST_F(Repositories, KnowWhichObjectsAreThere) {
  const git::Oid tip = commit(path, "one");
  const git::Oid tree = oid(git(path, {"rev-parse", tip.hex() + "^{tree}"}));
  git(path, {"tag", "-a", "-m", "v1", "v1", tip.hex()});
  const git::Oid tag = oid(git(path, {"rev-parse", "refs/tags/v1"}));
  const git::Oid absent = oid(std::string(40, '1'));
  const Repository repository = open();
  EXPECT_TRUE(repository.has(tip));
  EXPECT_TRUE(repository.has(tree));
  EXPECT_FALSE(repository.has(absent));
  EXPECT_TRUE(repository.has_commit(tip));
  EXPECT_FALSE(repository.has_commit(tree));
  EXPECT_FALSE(repository.has_commit(tag));
  EXPECT_FALSE(repository.has_commit(absent));
  EXPECT_EQ(repository.missing({{ref_name("refs/heads/a"), tip},
                                {ref_name("refs/heads/b"), absent},
                                {ref_name("refs/heads/c"), absent}}),
            std::vector{absent});
}

TEST_F(Repositories, SeeAPackThatCameAfterTheyWereOpened) {
  const Repository repository = open();
  const git::Oid absent = oid(std::string(40, '1'));
  EXPECT_FALSE(repository.has(absent));  // the packs are known now
  const git::Oid tip = commit(path, "one");
  set_ref(path, "refs/heads/main", tip);
  git(path, {"repack", "-a", "-d"});
  EXPECT_TRUE(repository.missing({{ref_name("refs/heads/main"), tip}}).empty());
}

TEST_F(Repositories, R1_ReadNoConfigurationButTheirOwn) {
  std::ofstream(folder.path() / ".gitconfig") << "[broken";
  const char* const home = ::getenv("HOME");
  const std::string before = home != nullptr ? home : "";
  ::setenv("HOME", folder.path().c_str(), 1);
  EXPECT_TRUE(Repository::open(path));
  ::setenv("HOME", before.c_str(), 1);
}

TEST_F(Repositories, ManageTenThousandRefs) {
  git::RefTransaction transaction;
  const git::Oid tip = commit(path, "one");
  git::Refs declared;
  for (int i = 0; i < 10'000; ++i) {
    const git::RefName name = ref_name("refs/heads/many/" + std::to_string(i));
    transaction.updates.push_back({name, std::nullopt, tip});
    declared.emplace(name, oid(git::Oid(tip).hex().substr(0, 35) + std::to_string(10'000 + i)));
  }
  ASSERT_TRUE(apply(path, transaction));
  const Repository repository = open();
  EXPECT_EQ(repository.heads_and_tags()->size(), 10'000u);
  EXPECT_EQ(repository.missing(declared).size(), 10'000u);
}

}  // namespace repository_test
}  // namespace graspd::gitio
