#include "gitio/pack_index.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "gitio/object_files.h"
#include "gitio/repositories_testing.h"

namespace graspd::gitio {
namespace pack_index_test {

namespace fs = std::filesystem;

TEST(PackIndex, NamesTheObjectsInOrder) {
  const testing::TemporaryFolder folder;
  const fs::path path = testing::make_repository(folder.path() / "a.git");
  const git::Oid tip = testing::commit(path, "two", {testing::commit(path, "one")});
  testing::set_ref(path, "refs/heads/a", tip);
  testing::git(path, {"repack", "-a", "-d"});
  const auto index = PackIndex::open(pack_indexes(path).front());
  ASSERT_TRUE(index);
  std::string text;
  for (std::size_t i = 0; i < index->size(); ++i) text += (*index)[i].hex() + '\n';
  text.pop_back();
  EXPECT_EQ(text,
            testing::git(path, {"cat-file", "--batch-all-objects", "--batch-check=%(objectname)"}));
}

TEST(PackIndex, RefusesWhatIsNone) {
  const testing::TemporaryFolder folder;
  const fs::path path = folder.path() / "pack-1.idx";
  EXPECT_FALSE(PackIndex::open(path));
  std::ofstream(path) << "short";
  EXPECT_FALSE(PackIndex::open(path));
  std::ofstream(path) << std::string(2'000, 'x');
  EXPECT_FALSE(PackIndex::open(path));
  const std::string signature("\377tOc\0\0\0\2", 8);
  std::ofstream(path) << signature << std::string(1'024, '\1');  // promises 16 million
  EXPECT_FALSE(PackIndex::open(path));
}

}  // namespace pack_index_test
}  // namespace graspd::gitio
