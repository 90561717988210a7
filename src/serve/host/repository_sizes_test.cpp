#include "serve/host/repository_sizes.h"

#include <fstream>
#include <gtest/gtest.h>

#include "gitio/repositories_testing.h"

namespace graspd::serve::repository_sizes_test {

TEST(RepositorySizes, NameTheLargestAndAddUpAll) {  // R1
  const gitio::testing::TemporaryFolder folder;
  const auto make = [&](const std::string& name, std::size_t bytes) {
    const auto packs = folder.path() / name / "objects" / "pack";
    std::filesystem::create_directories(packs);
    std::ofstream(packs / "a.pack") << std::string(bytes, 'x');
  };
  for (std::size_t i = 1; i <= 50; ++i) make("npub1a/r" + std::to_string(i) + ".git", i);
  make("npub1b/large.git", 1000);
  make(".graspd/quarantine.git", 5000);
  make("npub1b/other", 5000);
  const auto sizes = sizes_below(folder.path(), 2);
  EXPECT_EQ(sizes.all, 1000u + 50 * 51 / 2);
  ASSERT_EQ(sizes.largest.size(), 2u);
  EXPECT_EQ(sizes.largest[0], std::pair(std::string("npub1b/large.git"), std::uint64_t{1000}));
  EXPECT_EQ(sizes.largest[1], std::pair(std::string("npub1a/r50.git"), std::uint64_t{50}));
}

TEST(RepositorySizes, OfNothingAreNothing) {
  EXPECT_EQ(sizes_below("/nonexistent/folder", 3).all, 0u);
}

}  // namespace graspd::serve::repository_sizes_test
