#include "relay/git_access.h"

#include <gtest/gtest.h>

#include "core/base64.h"
#include "nostr/serialize.h"
#include "nostr/signature.h"
#include "relay/git_access_testing.h"
#include "relay/http_auth.h"

namespace graspd::relay {
namespace git_access_test {

using namespace std::chrono_literals;

constexpr core::UnixSeconds kToday = 1'700'000'000;
constexpr std::string_view kPath = "/npub1abc/my%20repo.git/info/refs";
constexpr std::string_view kRoot = "https://git.example/npub1abc/my%20repo.git";

nostr::Keypair keypair(std::uint8_t n) {
  nostr::SecretKey::Bytes bytes{};
  bytes[31] = n;
  return *nostr::Keypair::from(nostr::SecretKey(bytes));
}

struct Credential {
  nostr::Tags tags = {{"u", kRoot}, {"method", "GET"}};
  core::UnixSeconds created_at = kToday;
  std::uint8_t who = 1;
  std::uint16_t kind = 27235;

  nostr::Event event() const {
    nostr::Event event{.created_at = created_at, .kind = {kind}, .tags = tags};
    keypair(who).sign(event, {});
    return event;
  }
};

class GitAccessTest : public ::testing::Test {
 protected:
  bool opens(const std::string& authorization, std::string_view path = kPath) {
    const auto is_member = [this](const nostr::PublicKey& key) { return members.contains(key); };
    const core::Now now{core::Instant(elapsed), kToday + elapsed / 1s};
    return member_of(access, authorization, path, now, is_member).has_value();
  }
  bool opens(const Credential& credential, std::string_view path = kPath) {
    return opens(http_auth_header(credential.event()), path);
  }
  void remove(std::uint8_t who) {
    members.erase(keypair(who).public_key());
    access.members_changed([this](const auto& key) { return members.contains(key); });
  }

  Keys members{keypair(1).public_key(), keypair(2).public_key()};
  core::Duration elapsed{0};
  GitAccess access{"https://git.example"};
};

TEST_F(GitAccessTest, TakesAnEventInTheHeaderOrAsPassword) {  // R1
  const std::string token = core::encode_base64(nostr::to_json(Credential().event()));
  EXPECT_TRUE(opens("Nostr " + token));
  EXPECT_TRUE(opens("Basic " + core::encode_base64("anybody:" + token)));
  EXPECT_TRUE(opens("Basic " + core::encode_base64(":" + token)));
  EXPECT_FALSE(opens("nostr " + token));
  EXPECT_FALSE(opens("Nostr  " + token));
  EXPECT_FALSE(opens(token));
  EXPECT_FALSE(opens(""));
  EXPECT_FALSE(opens("Nostr " + token.substr(1)));
  EXPECT_FALSE(opens("Basic " + core::encode_base64(token)));
  EXPECT_FALSE(opens("Nostr " + std::string(100'000, 'A')));
  EXPECT_FALSE(member_of(access, std::nullopt, kPath, {}, [](const auto&) { return true; }));
}

TEST_F(GitAccessTest, TakesTheSignatureOfAMember) {  // R2
  EXPECT_TRUE(opens({.who = 2}));
  EXPECT_FALSE(opens({.who = 3}));
  EXPECT_FALSE(opens({.kind = 22242}));
  nostr::Event forged = Credential{.who = 3}.event();
  forged.pubkey = keypair(1).public_key();
  EXPECT_FALSE(opens(http_auth_header(forged)));
  forged.id = nostr::compute_id(forged);
  EXPECT_FALSE(opens(http_auth_header(forged)));
}

TEST_F(GitAccessTest, ToleratesAMinuteBetweenClocks) {  // R2
  for (const int off : {-60, -50, 50, 60}) EXPECT_TRUE(opens({.created_at = kToday + off})) << off;
  for (const int off : {-70, -61, 61, 70}) EXPECT_FALSE(opens({.created_at = kToday + off})) << off;
}

TEST_F(GitAccessTest, WantsOneRootAndOneMethod) {  // R3
  const auto with = [](nostr::Tags tags) { return Credential{.tags = std::move(tags)}; };
  EXPECT_TRUE(opens(with({{"x"}, {"u", kRoot}, {"method", "GET"}, {"payload", "1"}})));
  EXPECT_FALSE(opens(with({{"u", kRoot}})));
  EXPECT_FALSE(opens(with({{"method", "GET"}})));
  EXPECT_FALSE(opens(with({{"u", kRoot}, {"method", "POST"}})));
  EXPECT_FALSE(opens(with({{"u", kRoot}, {"u", kRoot}, {"method", "GET"}})));
  EXPECT_FALSE(opens(with({{"u", kRoot}, {"method", "GET"}, {"method", "GET"}})));
  EXPECT_FALSE(opens(with({{"u", kRoot, ""}, {"method", "GET"}})));
  const std::string whole = "https://git.example" + std::string(kPath);
  EXPECT_FALSE(opens(with({{"u", whole}, {"method", "GET"}})));
  EXPECT_FALSE(
      opens(with({{"u", "https://other.example/npub1abc/my%20repo.git"}, {"method", "GET"}})));
}

TEST_F(GitAccessTest, CutsThePathAfterItsLastSuffix) {  // R3
  for (const char* path : {"/npub1abc/my%20repo.git", "/npub1abc/my%20repo.git/",
                           "/npub1abc/my%20repo.git/git-receive-pack"})
    EXPECT_TRUE(opens(Credential(), path)) << path;
  EXPECT_FALSE(opens(Credential(), "/npub1abc/my%20repo.git/other.git"));
  EXPECT_FALSE(opens(Credential(), "/npub1abc/my%20repo"));
  EXPECT_FALSE(opens(Credential(), "/base/npub1abc/my%20repo.git"));
  EXPECT_TRUE(opens({.tags = {{"u", "https://git.example/base/npub1abc/x.git"}, {"method", "GET"}}},
                    "/base/npub1abc/x.git/info/refs"));
}

TEST_F(GitAccessTest, ComparesRootsInOneSpelling) {  // R4
  for (const char* origin : {"https://GIT.Example:443", "https://git.example:443"}) {
    GitAccess other(origin);
    EXPECT_TRUE(member_of(other, http_auth_header(Credential().event()), kPath, {{}, kToday},
                          [](const auto&) { return true; }))
        << origin;
  }
  for (const char* root : {"https://Git.EXAMPLE/npub1abc/my%20repo.git",
                           "https://git.example:443/npub1abc/my%20repo.git",
                           "https://git.example/npub1ab%63/my%20repo.git",
                           "https://git.example/npub1abc/my%20rep%6F.git"})
    EXPECT_TRUE(opens({.tags = {{"u", root}, {"method", "GET"}}})) << root;
  EXPECT_FALSE(
      opens({.tags = {{"u", "http://git.example/npub1abc/my%20repo.git"}, {"method", "GET"}}}));
}

TEST_F(GitAccessTest, KeepsAnAcceptedCredentialGoodOnItsRoot) {  // R5
  const Credential credential;
  EXPECT_TRUE(opens(credential));
  elapsed = 9min;
  EXPECT_TRUE(opens(credential, "/npub1abc/my%20repo.git/git-upload-pack"));
  EXPECT_FALSE(opens(credential, "/npub1abc/other.git/info/refs"));
  EXPECT_FALSE(opens({.created_at = kToday - 1}));
  elapsed = 10min;
  EXPECT_FALSE(opens(credential));
}

TEST_F(GitAccessTest, ForgetsTheCredentialsOfWhoIsNoMemberAnyMore) {  // R5
  EXPECT_TRUE(opens({.who = 1}));
  EXPECT_TRUE(opens({.who = 2}));
  remove(1);
  EXPECT_FALSE(opens({.who = 1}));
  EXPECT_EQ(access.remembered(), 1U);
  members.insert(keypair(1).public_key());
  elapsed = 2min;
  EXPECT_FALSE(opens({.who = 1}));
  EXPECT_TRUE(opens({.who = 2}));
}

TEST_F(GitAccessTest, RemembersWithinBounds) {  // R5
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(opens({.created_at = kToday - i}));
  EXPECT_EQ(access.remembered(), 3U);
  elapsed = 11min;
  EXPECT_TRUE(opens({.created_at = kToday + 11 * 60}));
  EXPECT_EQ(access.remembered(), 1U);
}

TEST(GitRoot, IsWhatACredentialNames) {  // R3, R4
  EXPECT_EQ(git_root("https://Host:443/a/b.git/info/refs"), "https://host/a/b.git");
  EXPECT_EQ(git_root("http://127.0.0.1:7334/a/b.git"), "http://127.0.0.1:7334/a/b.git");
  EXPECT_FALSE(git_root("https://host/a/b"));
  EXPECT_FALSE(git_root("ssh://host/a/b.git"));
}

}  // namespace git_access_test
}  // namespace graspd::relay
