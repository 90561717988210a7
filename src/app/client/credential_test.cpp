#include "app/client/credential.h"

#include <gtest/gtest.h>

#include "core/base64.h"
#include "relay/git_access_testing.h"

namespace graspd::app {
namespace credential_test {

nostr::Keypair keypair() {
  nostr::SecretKey::Bytes bytes{};
  bytes[31] = 5;
  return *nostr::Keypair::from(nostr::SecretKey(bytes));
}

std::string root(std::string_view description) {
  const auto found = credential_root(description);
  return found ? *found : "failure";
}

TEST(Credential, IsForTheRepositoryThatGitNames) {  // R1
  EXPECT_EQ(root("protocol=https\nhost=Git.Example:443\npath=npub1a/x.git\n\n"),
            "https://git.example/npub1a/x.git");
  EXPECT_EQ(root("capability[]=authtype\nprotocol=http\nhost=127.0.0.1:7334\npath=m/npub1a/x.git\n"
                 "wwwauth[]=Nostr realm=\"x\", method=\"GET\"\nwwwauth[]=Basic realm=\"x\"\n"),
            "http://127.0.0.1:7334/m/npub1a/x.git");
  EXPECT_EQ(root("protocol=https\nhost=a.example\npath=npub1a/my plan.git\n"),
            "https://a.example/npub1a/my%20plan.git");
}

TEST(Credential, IsNotForOtherServers) {  // R1
  EXPECT_EQ(root("protocol=ssh\nhost=a\npath=x.git\n"), "");
  EXPECT_EQ(root("protocol=https\nhost=a\npath=x.git\nwwwauth[]=Basic realm=\"forge\"\n"), "");
  EXPECT_EQ(root("protocol=https\nhost=a\npath=x\n"), "");
  EXPECT_EQ(root(""), "");
}

TEST(Credential, NeedsThePath) {  // R3
  const auto without = credential_root("protocol=https\nhost=git.example\n");
  ASSERT_FALSE(without);
  EXPECT_NE(without.error().find("credential.https://git.example.useHttpPath true"),
            std::string::npos);
}

TEST(Credential, OpensTheGateOfAPrivateService) {  // R1
  constexpr core::UnixSeconds kNow = 1'700'000'000;
  const std::string answer = credential_answer("https://git.example/npub1a/x.git", keypair(), kNow);
  const auto begin = answer.find("password=") + 9;
  const std::string password = answer.substr(begin, answer.find('\n', begin) - begin);
  EXPECT_TRUE(answer.starts_with("username=nostr\n"));
  EXPECT_TRUE(answer.ends_with("password_expiry_utc=1700000540\n"));
  relay::GitAccess access("https://git.example");
  EXPECT_EQ(
      relay::member_of(access, "Basic " + core::encode_base64("nostr:" + password),
                       "/npub1a/x.git/info/refs", {{}, kNow}, [](const auto&) { return true; }),
      keypair().public_key());
}

}  // namespace credential_test
}  // namespace graspd::app
