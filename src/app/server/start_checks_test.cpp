#include "app/server/start_checks.h"

#include <fstream>
#include <gtest/gtest.h>

#include "app/base/temporary_folder_testing.h"

namespace graspd::app {
namespace start_checks_test {

TEST(StartChecks, WantCertificatesInTheFileThatIsNamed) {
  const TemporaryFolder folder;
  EXPECT_TRUE(expect_certificates(""));
  const auto file = folder.path() / "ca.pem";
  const auto absent = expect_certificates(file);
  ASSERT_FALSE(absent);
  EXPECT_NE(absent.error().find("ca.pem) cannot be read; name a PEM file"), std::string::npos);
  std::ofstream(file) << "nonsense";
  EXPECT_NE(expect_certificates(file).error().find("holds no certificate"), std::string::npos);
  std::ofstream(file) << "-----BEGIN CERTIFICATE-----\n";
  EXPECT_TRUE(expect_certificates(file));
}

TEST(StartChecks, WantAFolderThatPushesCanBeWrittenTo) {
  const TemporaryFolder folder;
  EXPECT_TRUE(expect_git_folder(folder.path() / "a" / "git"));
  EXPECT_TRUE(expect_git_folder(folder.path() / "a" / "git"));
  std::ofstream(folder.path() / ".graspd") << "in the way";
  const auto refused = expect_git_folder(folder.path());
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().find("NGIT_GIT_DATA_PATH"), std::string::npos);
}

}  // namespace start_checks_test
}  // namespace graspd::app
