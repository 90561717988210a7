#include "app/config/setting_private.h"

#include <fstream>
#include <gtest/gtest.h>

#include "app/base/temporary_folder_testing.h"
#include "app/config/config.h"
#include "nostr/nip19.h"

namespace graspd::app {
namespace setting_private_test {

nostr::PublicKey key(std::uint8_t n) {
  nostr::PublicKey::Bytes bytes{};
  bytes[0] = n;
  return nostr::PublicKey(bytes);
}
std::string npub(std::uint8_t n) { return nostr::nip19::npub(key(n)); }

core::Result<Configuration, std::string> with(Environment environment) {
  return configure(
      ConfigInputs{.flags = {}, .environment = std::move(environment), .config_path = {}},
      std::nullopt);
}
std::string failure(Environment environment) {
  const auto made = with(std::move(environment));
  return made ? "no failure" : made.error();
}

TEST(PrivateSettings, NameMembersAsNpubOrHex) {  // R2
  const auto made = with(
      {{"NGIT_PRIVATE_MODE", "true"}, {"NGIT_PRIVATE_MEMBERS", npub(1) + ", ," + key(2).hex()}});
  ASSERT_TRUE(made) << made.error();
  EXPECT_EQ(named_members(made->settings), (relay::Keys{key(1), key(2)}));
}

TEST(PrivateSettings, StopTheStartAtAWrongMember) {  // R2
  const std::string told =
      failure({{"NGIT_PRIVATE_MODE", "true"}, {"NGIT_PRIVATE_MEMBERS", npub(1) + ",alice"}});
  EXPECT_NE(told.find("\"alice\", which is no npub"), std::string::npos) << told;
}

TEST(PrivateSettings, ReadMembersFromAFile) {  // R2
  const TemporaryFolder folder;
  const std::string path = folder.path() / "members";
  std::ofstream(path) << npub(3) << " # carol\n\n" << npub(4) << "\n";
  const auto made = with({{"NGIT_PRIVATE_MODE", "true"},
                          {"NGIT_PRIVATE_MEMBERS", npub(1)},
                          {"GRASPD_PRIVATE_MEMBERS_FILE", path}});
  ASSERT_TRUE(made) << made.error();
  EXPECT_EQ(named_members(made->settings), (relay::Keys{key(1), key(3), key(4)}));
  EXPECT_NE(failure({{"NGIT_PRIVATE_MODE", "true"}, {"NGIT_PRIVATE_MEMBERS_FILE", path + "x"}})
                .find("cannot be read"),
            std::string::npos);
}

TEST(PrivateSettings, BelongTogether) {  // R1
  EXPECT_TRUE(failure({{"NGIT_PRIVATE_MODE", "true"}})
                  .starts_with("NGIT_PRIVATE_MODE is true without members"));
  EXPECT_NE(failure({{"NGIT_PRIVATE_MEMBERS", npub(1)}}).find("but the service is public"),
            std::string::npos);
  const std::pair<const std::string, std::string> mode{"NGIT_PRIVATE_MODE", "true"};
  const std::pair<const std::string, std::string> members{"NGIT_PRIVATE_MEMBERS", npub(1)};
  EXPECT_NE(failure({mode, members, {"NGIT_GRASP06_ENABLE", "true"}}).find("NGIT_GRASP06_ENABLE"),
            std::string::npos);
  EXPECT_NE(failure({mode, members, {"NGIT_ACCEPT", "open"}}).find("NGIT_ACCEPT"),
            std::string::npos);
  EXPECT_EQ(failure({mode, members}), "no failure");
}

TEST(PrivateSettings, KnowTheOriginOfCloneUrls) {
  const auto origin = [](Environment environment) {
    const auto made = with(std::move(environment));
    return made ? private_origin(made->settings, 7334) : made.error();
  };
  EXPECT_EQ(origin({{"NGIT_DOMAIN", "Git.Example.com:443"}}), "https://git.example.com");
  EXPECT_EQ(origin({{"NGIT_DOMAIN", "localhost:8080"}}), "http://localhost:8080");
  EXPECT_EQ(origin({}), "http://127.0.0.1:7334");
  EXPECT_EQ(origin({{"NGIT_PRIVATE_PUBLIC_ORIGIN", "http://git.lan:3000/"}}),
            "http://git.lan:3000");
  for (const char* wrong : {"git.lan", "https://git.lan/a", "wss://git.lan", "https://git.lan/?q"})
    EXPECT_NE(origin({{"NGIT_PRIVATE_PUBLIC_ORIGIN", wrong}}).find("is not an origin"),
              std::string::npos)
        << wrong;
}

}  // namespace setting_private_test
}  // namespace graspd::app
