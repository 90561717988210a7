#include "gitio/staging.h"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>

#include "git/command_line.h"
#include "gitio/connectivity.h"
#include "gitio/object_files.h"
#include "gitio/repositories_testing.h"
#include "gitio/share.h"

namespace graspd::gitio {
namespace staging_test {

namespace fs = std::filesystem;
using testing::commit;
using testing::git;
using testing::holds;
using testing::make_repository;
using testing::oid;
using testing::set_ref;

constexpr auto kDeadline = std::chrono::minutes(1);

// What we write to receive-pack: one command of ours and the pack.
std::string request(const git::Oid& tip, std::string_view pack) {
  const std::string command = fmt::format("{} {} refs/heads/pushed", git::Oid().hex(), tip.hex()) +
                              std::string(1, '\0') + " report-status";
  return fmt::format("{:04x}{}0000{}", command.size() + 4, command, pack);
}

class Stagings : public ::testing::Test {
 protected:
  const testing::TemporaryFolder folder;
  const fs::path root = folder.path() / "git";
  const fs::path repo = make_repository(root / "npub" / "a.git");
  const fs::path client = make_repository(folder.path() / "client.git");

  Staging stage(std::string_view token = "t1") const {
    auto staging = Staging::create(root, repo, token);
    CHECK(staging);
    return *std::move(staging);
  }
  // A pack of what these reach and `known` does not, as a client sends it.
  std::string pack(const std::vector<git::Oid>& tips,
                   const std::vector<git::Oid>& known = {}) const {
    std::string revisions;
    for (const git::Oid& oid : tips) revisions += oid.hex() + '\n';
    for (const git::Oid& oid : known) revisions += '^' + oid.hex() + '\n';
    const auto made = run_ok(
        testing::git_in(client, {"pack-objects", "--revs", "--thin", "--stdout", "-q"}), revisions);
    CHECK(made);
    return *made;
  }
  static std::string receive(const Staging& staging, const git::Oid& tip, std::string_view pack,
                             const git::ReceiveLimits& limits = {}) {
    const auto output = run(git::receive_pack(staging.path().string(), limits), request(tip, pack));
    CHECK(output);
    return output->out + output->err;
  }
  static bool is_ok(std::string_view report) {
    return report.find("unpack ok") != report.npos &&
           report.find("ok refs/heads/pushed") != report.npos;
  }
  // A repository that has what `tip` reaches, with a branch on `shown`.
  void fill_repo(const git::Oid& tip, const git::Oid& shown) const {
    Staging staging = stage("fill");
    CHECK(is_ok(receive(staging, tip, pack({tip}))));
    CHECK(staging.move_into(repo));
    set_ref(repo, "refs/heads/master", shown);
  }
};

TEST_F(Stagings, TakeAPushThatTheRepositoryDoesNotSee) {
  const git::Oid one = commit(client, "one");
  Staging staging = stage();
  EXPECT_TRUE(is_ok(receive(staging, one, pack({one}))));
  EXPECT_TRUE(holds(staging.path(), one));
  EXPECT_FALSE(holds(repo, one));
  EXPECT_GT(staging.bytes(), 100u);
}

TEST_F(Stagings, GiveTheRepositoryAWholeHistory) {
  const git::Oid one = commit(client, "one");
  const git::Oid two = commit(client, "two", {one});
  fill_repo(one, one);
  Staging staging = stage();
  ASSERT_TRUE(is_ok(receive(staging, two, pack({two}, {one}))));
  ASSERT_TRUE(staging.move_into(repo));
  set_ref(repo, "refs/heads/master", two);
  EXPECT_EQ(git(repo, {"fsck", "--connectivity-only"}), "");
  EXPECT_EQ(git(repo, {"rev-list", "--count", "master"}), "2");
  EXPECT_TRUE(pack_indexes(staging.path()).empty());
}

TEST_F(Stagings, CompleteThinPacksFromTheRepository) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += fmt::format("line {}\n", i);
  const git::Oid one = commit(client, text);
  const git::Oid two = commit(client, text + "more\n", {one});
  fill_repo(one, one);
  Staging staging = stage();
  ASSERT_TRUE(is_ok(receive(staging, two, pack({two}, {one}))));
  fs::remove(staging.path() / "objects/info/alternates");
  EXPECT_EQ(git(staging.path(), {"cat-file", "blob", two.hex() + ":file"}) + "\n", text + "more\n");
}

TEST_F(Stagings, RefuseAHistoryWithAHole) {
  const git::Oid one = commit(client, "one");
  const git::Oid two = commit(client, "two", {one});
  const Staging staging = stage();
  const std::string report = receive(staging, two, pack({two}, {one}));
  EXPECT_FALSE(is_ok(report));
  EXPECT_NE(report.find("did not receive expected object " + one.hex()), report.npos) << report;
  EXPECT_FALSE(holds(staging.path(), two));
}

TEST_F(Stagings, RefuseAHistoryWithAHoleInTheRepository) {
  const git::Oid one = commit(client, "one");
  const git::Oid two = commit(client, "two", {one});
  const git::Oid three = commit(client, "three", {two});
  git(repo, {"hash-object", "-w", "-t", "commit", "--stdin"},
      git(client, {"cat-file", "commit", two.hex()}) + "\n");  // and nothing below
  const Staging staging = stage();
  const std::string report = receive(staging, three, pack({three}, {two}));
  EXPECT_FALSE(is_ok(report));
  EXPECT_NE(report.find("ng refs/heads/pushed missing necessary objects"), report.npos) << report;
}

TEST_F(Stagings, AcceptParentsThatTheRepositoryHasButShowsNoMore) {
  const git::Oid one = commit(client, "one");
  const git::Oid two = commit(client, "two", {one});
  const git::Oid three = commit(client, "three", {two});
  fill_repo(two, one);  // two is there, and no ref reaches it
  const Staging staging = stage();
  EXPECT_TRUE(is_ok(receive(staging, three, pack({three}, {two}))));
}

TEST_F(Stagings, RefuseBadObjects) {
  const std::string entry = "100644 blob " + testing::blob(client, "x").hex() + "\t.git\n";
  const std::string tree = git(client, {"mktree"}, entry);
  const git::Oid bad = oid(git(client, {"commit-tree", tree, "-m", "bad"}));
  const Staging staging = stage();
  const std::string report = receive(staging, bad, pack({bad}));
  EXPECT_FALSE(is_ok(report));
  EXPECT_NE(report.find("hasDotgit"), report.npos) << report;
  EXPECT_FALSE(holds(staging.path(), bad));
}

TEST_F(Stagings, RefuseTooMuch) {
  const git::Oid one = commit(client, "one");
  const Staging staging = stage();
  const std::string report = receive(staging, one, pack({one}), {.pack_bytes_max = 50});
  EXPECT_FALSE(is_ok(report));
  EXPECT_NE(report.find("exceeds maximum allowed size"), report.npos) << report;
}

TEST_F(Stagings, R3_MayRepeatAMoveThatWasCutOff) {
  const git::Oid one = commit(client, "one");
  Staging staging = stage();
  ASSERT_TRUE(is_ok(receive(staging, one, pack({one}))));
  const fs::path index = pack_indexes(staging.path()).front();
  const fs::path data = fs::path(index).replace_extension(".pack");
  fs::rename(data, repo / "objects/pack" / data.filename());  // all a crash let happen
  EXPECT_FALSE(Repository::open(repo)->has(one));
  ASSERT_TRUE(staging.move_into(repo));
  EXPECT_TRUE(Repository::open(repo)->has(one));
  ASSERT_TRUE(staging.move_into(repo));
}

TEST_F(Stagings, R3_ReplaceAPackThatTheDiskHasSpoiled) {
  const git::Oid one = commit(client, "one");
  Staging staging = stage();
  ASSERT_TRUE(is_ok(receive(staging, one, pack({one}))));
  const fs::path data = pack_indexes(staging.path()).front().replace_extension(".pack");
  std::ofstream(repo / "objects/pack" / data.filename()) << "rubbish";
  ASSERT_TRUE(staging.move_into(repo));
  EXPECT_EQ(*is_connected(repo, {one}, kDeadline), true);
}

TEST_F(Stagings, R3_MoveLooseObjectsAsWell) {
  Staging staging = stage();
  const git::Oid one = commit(staging.path(), "one");
  ASSERT_TRUE(staging.move_into(repo));
  EXPECT_EQ(*is_connected(repo, {one}, kDeadline), true);
  EXPECT_FALSE(
      fs::exists(staging.path() / "objects" / one.hex().substr(0, 2) / one.hex().substr(2)));
}

// A pack may carry more than its commands name; that must not get into the repository by the back
// door.
TEST_F(Stagings, GiveOnlyWhatATipReachesWhenHistoryIsCopied) {
  const git::Oid one = commit(client, "one");
  const git::Oid two = commit(client, "two", {one});
  const git::Oid stowaway = commit(client, "stowaway");
  fill_repo(one, one);
  const Staging staging = stage();
  ASSERT_TRUE(is_ok(receive(staging, two, pack({two, stowaway}, {one}))));
  ASSERT_TRUE(holds(staging.path(), stowaway));
  ASSERT_TRUE(copy_history(staging.path(), repo, {two}));
  EXPECT_EQ(*is_connected(repo, {two}, kDeadline), true);
  EXPECT_FALSE(holds(repo, stowaway));
}

TEST_F(Stagings, R2_SurviveAMoveOfAllData) {
  const git::Oid one = commit(client, "one");
  const git::Oid two = commit(client, "two", {one});
  fill_repo(one, one);
  Staging staging = stage();
  ASSERT_TRUE(is_ok(receive(staging, two, pack({two}, {one}))));
  ASSERT_TRUE(staging.keep());
  fs::rename(root, folder.path() / "moved");
  auto reopened = Staging::reopen(folder.path() / "moved", "t1");
  ASSERT_TRUE(reopened);
  EXPECT_EQ(*is_connected(reopened->path(), {two}, kDeadline), true);
}

TEST_F(Stagings, R4_VanishUnlessKept) {
  fs::path path;
  {
    const Staging staging = stage();
    path = staging.path();
    EXPECT_TRUE(fs::exists(path));
    EXPECT_FALSE(Staging::create(root, repo, "t1"));  // one of a name
    EXPECT_TRUE(fs::exists(path));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(Stagings, R1_SurviveARestartWhenKept) {
  const git::Oid one = commit(client, "one");
  {
    Staging staging = stage();
    ASSERT_TRUE(is_ok(receive(staging, one, pack({one}))));
    ASSERT_TRUE(staging.keep());
    ASSERT_TRUE(staging.keep());
    EXPECT_EQ(staging.path(), root / ".graspd" / "quarantine" / "t1.git");
  }
  EXPECT_EQ(sweep(root, {"t1"}), 0u);
  auto reopened = Staging::reopen(root, "t1");
  ASSERT_TRUE(reopened);
  EXPECT_TRUE(reopened->kept());
  ASSERT_TRUE(reopened->move_into(repo));
  EXPECT_EQ(*is_connected(repo, {one}, kDeadline), true);
  reopened->discard();
  EXPECT_FALSE(Staging::reopen(root, "t1"));
}

TEST_F(Stagings, R4_AreSweptWhenNoRecordNamesThem) {
  {
    Staging first = stage("t1");
    Staging second = stage("t2");
    ASSERT_TRUE(first.keep());
    ASSERT_TRUE(second.keep());
  }
  fs::create_directories(root / ".graspd/incoming/crashed.git/objects");
  EXPECT_EQ(sweep(root, {"t2"}), 2u);
  EXPECT_FALSE(Staging::reopen(root, "t1"));
  EXPECT_TRUE(Staging::reopen(root, "t2"));
  EXPECT_FALSE(fs::exists(root / ".graspd/incoming/crashed.git"));
}

TEST(StagingTokens, AreHarmlessAsNames) {
  EXPECT_TRUE(Staging::is_token("Ab-9_"));
  for (const char* bad : {"", ".", "..", "a/b", "a.git", "a b", "\n"}) {
    EXPECT_FALSE(Staging::is_token(bad)) << bad;
  }
  EXPECT_FALSE(Staging::is_token(std::string(101, 'a')));
}

}  // namespace staging_test
}  // namespace graspd::gitio
