#include "app/client/client_key.h"

#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "app/base/temporary_folder_testing.h"

namespace graspd::app {
namespace client_key_test {

mode_t mode_of(const std::filesystem::path& path) {
  struct stat status{};
  EXPECT_EQ(::stat(path.c_str(), &status), 0);
  return status.st_mode & 0777;
}

TEST(ClientKey, LiesWhereTheFlagTheEnvironmentOrCustomSays) {  // R1
  const std::map<std::string, std::string> home = {{"HOME", "/home/a"}};
  EXPECT_EQ(*client_key_path("", home), "/home/a/.config/graspd/key");
  auto more = home;
  more["XDG_CONFIG_HOME"] = "/cfg";
  EXPECT_EQ(*client_key_path("", more), "/cfg/graspd/key");
  more["NGIT_CLIENT_KEY_FILE"] = "/keys/mine";
  EXPECT_EQ(*client_key_path("", more), "/keys/mine");
  EXPECT_EQ(*client_key_path("here", more), "here");
  EXPECT_FALSE(client_key_path("", {}));
}

TEST(ClientKey, IsMadeOnceAndStays) {  // R2, R3
  const TemporaryFolder folder;
  const auto path = folder.path() / "deep" / "key";
  const auto made = make_client_key(path);
  ASSERT_TRUE(made) << made.error();
  EXPECT_EQ(mode_of(path), 0600U);
  EXPECT_EQ(mode_of(path.parent_path()), 0700U);
  EXPECT_EQ(load_client_key(path)->public_key(), made->public_key());
  EXPECT_FALSE(make_client_key(path));
  EXPECT_EQ(load_client_key(path)->public_key(), made->public_key());
}

TEST(ClientKey, IsProtectedWhenItIsRead) {  // R3
  const TemporaryFolder folder;
  const auto path = folder.path() / "key";
  std::ofstream(path) << std::string(63, '0') << "1\n";
  ::chmod(path.c_str(), 0644);
  ::testing::internal::CaptureStderr();
  EXPECT_TRUE(load_client_key(path));
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("warning: your key: others could read " + path.string()), std::string::npos)
      << said;
  EXPECT_EQ(mode_of(path), 0600U);
}

TEST(ClientKey, SaysHowToGetOne) {  // R2
  const TemporaryFolder folder;
  const auto missing = load_client_key(folder.path() / "key");
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().find("graspd key --new"), std::string::npos);
  std::ofstream(folder.path() / "bad") << "npub1notsecret\n";
  const auto bad = load_client_key(folder.path() / "bad");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().find("npub1notsecret"), std::string::npos);
}

}  // namespace client_key_test
}  // namespace graspd::app
