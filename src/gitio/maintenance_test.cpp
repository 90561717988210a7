#include "gitio/maintenance.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "gitio/object_files.h"
#include "gitio/repositories_testing.h"

namespace graspd::gitio {
namespace maintenance_test {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::commit;
using testing::git;
using testing::holds;
using testing::make_repository;
using testing::set_ref;

class Maintenance : public ::testing::Test {
 protected:
  const testing::TemporaryFolder folder;
  const fs::path path = make_repository(folder.path() / "a.git");

  Maintained perform(const MaintainOptions& options) const {
    const auto done = maintain(path, options);
    if (!done) std::fprintf(stderr, "%s\n", done.error().c_str());
    CHECK(done);
    return *done;
  }
  git::Oid add_packs(int count) const {
    git::Oid tip = commit(path, "first");
    for (int i = 0; i < count; ++i) {
      tip = commit(path, std::to_string(i), {tip});
      set_ref(path, "refs/heads/main", tip);
      git(path, {"repack", "-d"});
    }
    return tip;
  }
  bool has_file(const char* folder_name, std::string_view ending) const {
    for (const auto& entry : fs::directory_iterator(path / folder_name)) {
      if (entry.path().string().ends_with(ending)) return true;
    }
    return false;
  }
  void make_old(const fs::path& name) const {
    fs::create_directories((path / name).parent_path());
    std::ofstream(path / name) << "x";
    fs::last_write_time(path / name, fs::file_time_type::clock::now() - 10h);
  }
};

TEST_F(Maintenance, R2_LeavesASmallRepositoryAlone) {
  add_packs(2);
  const Maintained done = perform({});
  EXPECT_FALSE(done.repacked);
  EXPECT_FALSE(done.refs_packed);
  EXPECT_EQ(pack_indexes(path).size(), 2u);
}

TEST_F(Maintenance, R2_MakesOnePackWithABitmapOfMany) {
  const git::Oid tip = add_packs(4);
  const Maintained done = perform({.packs_max = 3});
  EXPECT_TRUE(done.repacked);
  EXPECT_TRUE(done.commit_graph_written);
  EXPECT_EQ(pack_indexes(path).size(), 1u);
  EXPECT_TRUE(has_file("objects/pack", ".bitmap"));
  EXPECT_TRUE(fs::exists(path / "objects/info/commit-graph"));
  EXPECT_EQ(git(path, {"fsck"}), "");
  EXPECT_TRUE(Repository::open(path)->has_commit(tip));
}

TEST_F(Maintenance, R2_CombinesOnlySmallPacksOfABigRepository) {
  std::string noise;
  for (std::uint32_t i = 1; i < 200'000; ++i) noise += static_cast<char>(i * 2654435761U >> 24);
  const git::Oid big = commit(path, noise);
  set_ref(path, "refs/heads/big", big);
  for (int i = 0; i < 30; ++i) {  // many objects, for size is counted in objects
    testing::blob(path, std::to_string(i));
    git(path, {"tag", "t" + std::to_string(i), testing::blob(path, std::to_string(i)).hex()});
  }
  perform({.force = true});
  const fs::path first = pack_indexes(path).front();
  add_packs(4);
  EXPECT_TRUE(perform({.packs_max = 3, .full_repack_bytes_max = 1'000}).repacked);
  EXPECT_EQ(pack_indexes(path).size(), 2u);
  EXPECT_TRUE(fs::exists(first));
  EXPECT_TRUE(has_file("objects/pack", ".bitmap"));
  EXPECT_EQ(git(path, {"fsck"}), "");
}

TEST_F(Maintenance, R2_PacksManyRefs) {
  const git::Oid tip = commit(path, "one");
  for (int i = 0; i < 4; ++i) set_ref(path, "refs/heads/b" + std::to_string(i), tip);
  EXPECT_TRUE(perform({.loose_refs_max = 3}).refs_packed);
  EXPECT_FALSE(fs::exists(path / "refs/heads/b0"));
  EXPECT_EQ(Repository::open(path)->heads_and_tags()->size(), 4u);
}

TEST_F(Maintenance, R3_KeepsWhatNoRefReachesForAWhile) {
  const git::Oid kept = commit(path, "kept"), gone = commit(path, "gone");
  set_ref(path, "refs/heads/main", kept);
  perform({.unreachable_grace = 24h, .force = true});
  EXPECT_TRUE(holds(path, kept));
  EXPECT_TRUE(holds(path, gone));
  perform({.unreachable_grace = 24h, .force = true});
  EXPECT_TRUE(holds(path, gone));
  perform({.unreachable_grace = 0s, .force = true});
  EXPECT_TRUE(holds(path, kept));
  EXPECT_FALSE(holds(path, gone));
  EXPECT_EQ(git(path, {"fsck"}), "");
}

TEST_F(Maintenance, R3_DropsUnreachableObjectsOfPacks) {
  const git::Oid old_tip = add_packs(3);
  set_ref(path, "refs/heads/main", commit(path, "another history"));
  perform({.unreachable_grace = 0s, .force = true});
  EXPECT_FALSE(holds(path, old_tip));
  EXPECT_EQ(git(path, {"fsck"}), "");
}

TEST_F(Maintenance, R4_RemovesOldLeftoversAndNothingElse) {
  const git::Oid tip = add_packs(1);
  for (const fs::path& index : pack_indexes(path)) {  // old, and in use
    fs::last_write_time(index, fs::file_time_type::clock::now() - 100h);
  }
  for (const char* name :
       {"objects/pack/tmp_pack_abc", "objects/17/tmp_obj_abc", "refs/heads/main.lock",
        "packed-refs.lock", "HEAD.lock", "objects/pack/pack-1234.pack",
        "objects/info/commit-graphs/commit-graph-chain.lock"}) {
    make_old(name);
  }
  make_old("objects/tmp_objdir-incoming-abc/pack/pack-5.pack");
  fs::last_write_time(path / "objects/tmp_objdir-incoming-abc",
                      fs::file_time_type::clock::now() - 10h);
  std::ofstream(path / "objects/pack/tmp_pack_new") << "x";
  EXPECT_EQ(perform({}).leftovers_removed, 8u);
  EXPECT_TRUE(fs::exists(path / "objects/pack/tmp_pack_new"));
  EXPECT_FALSE(fs::exists(path / "objects/tmp_objdir-incoming-abc"));
  EXPECT_EQ(git(path, {"fsck"}), "");
  EXPECT_TRUE(Repository::open(path)->has(tip));
}

TEST_F(Maintenance, ManagesAnEmptyRepository) {
  perform({.force = true});
  EXPECT_EQ(git(path, {"fsck"}), "");
}

TEST_F(Maintenance, KnowsTheSizeOfPacks) {
  EXPECT_EQ(disk_bytes(path), 0u);
  add_packs(1);
  EXPECT_GT(disk_bytes(path), 500u);
}

}  // namespace maintenance_test
}  // namespace graspd::gitio
