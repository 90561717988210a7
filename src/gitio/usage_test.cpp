#include "gitio/usage.h"

#include <gtest/gtest.h>

#include "gitio/maintenance.h"
#include "gitio/repositories_testing.h"

namespace graspd::gitio::usage_test {
namespace {

using namespace testing;

TEST(Usage, IsOfWhatIsReachable) {
  const TemporaryFolder folder;
  const auto repository = make_repository(folder.path() / "r.git");
  std::string noise;
  for (unsigned i = 0; i < 20'000; ++i) noise += static_cast<char>((i * i * 2'654'435'761U) >> 13U);
  const git::Oid small = commit(repository, "small");
  const git::Oid large = commit(repository, noise, {small});
  const auto bytes = [&](std::vector<git::Oid> tips) {
    const auto measured = reachable_bytes(repository, tips, std::chrono::minutes(1));
    return measured ? *measured : ~std::uint64_t{0};
  };
  EXPECT_EQ(bytes({}), 0U);
  EXPECT_GT(bytes({small}), 0U);
  EXPECT_LT(bytes({small}), 1'000U);
  EXPECT_GT(bytes({large}), bytes({small}));
  EXPECT_EQ(bytes({large}), bytes({large, small}));
  const git::Oid absent = oid("1111111111111111111111111111111111111111");
  const std::vector<git::Oid> tips{absent};
  EXPECT_FALSE(reachable_bytes(repository, tips, std::chrono::minutes(1)));
}

}  // namespace
}  // namespace graspd::gitio::usage_test
