#include "app/base/owner_key.h"

#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "app/base/temporary_folder_testing.h"
#include "nostr/nip19.h"

namespace graspd::app {
namespace owner_key_test {

namespace fs = std::filesystem;

nostr::SecretKey secret(std::uint8_t last) {
  nostr::SecretKey::Bytes bytes{};
  bytes.back() = last;
  return nostr::SecretKey(bytes);
}
std::string nsec(std::uint8_t last) { return nostr::nip19::nsec(secret(last)); }
nostr::PublicKey public_key(std::uint8_t last) {
  return nostr::Keypair::from(secret(last))->public_key();
}

void write(const fs::path& path, std::string_view text, mode_t mode = 0644) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
  ::chmod(path.c_str(), mode);
}
mode_t mode_of(const fs::path& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 0777 : 0;
}

class OwnerKeyTest : public ::testing::Test {
 protected:
  OwnerKeyTest() {
    places.working_directory = folder.path() / "cwd";
    places.relay_data_path = folder.path() / "srv/data/relay";
    fs::create_directories(places.working_directory);
    fs::create_directories(places.relay_data_path);
  }
  fs::path usual() const { return places.working_directory / ".relay-owner.nsec"; }
  nostr::PublicKey loaded() const {
    const auto key = load_owner_key(places);
    EXPECT_TRUE(key) << key.error();
    return key->keypair.public_key();
  }
  std::string failure() const {
    const auto key = load_owner_key(places);
    return key ? "no failure" : key.error();
  }

  TemporaryFolder folder;
  OwnerKeyPlaces places;
};

TEST_F(OwnerKeyTest, MakesAnIdentityInTheWorkingDirectoryAndKeepsIt) {  // R2 R4
  const auto first = load_owner_key(places);
  ASSERT_TRUE(first) << first.error();
  EXPECT_TRUE(first->is_new);
  EXPECT_TRUE(first->warnings.empty());
  EXPECT_EQ(mode_of(usual()), 0600U);
  const auto second = load_owner_key(places);
  ASSERT_TRUE(second);
  EXPECT_FALSE(second->is_new);
  EXPECT_EQ(second->keypair.public_key(), first->keypair.public_key());
  EXPECT_EQ(second->origin, usual().string());
}

TEST_F(OwnerKeyTest, MakesADifferentIdentityEachTime) {
  const auto first = loaded();
  fs::remove(usual());
  EXPECT_NE(loaded(), first);
}

TEST_F(OwnerKeyTest, TakesTheFirstSourceThatIsThere) {  // R1
  const fs::path above = folder.path() / "srv/.relay-owner.nsec";
  const fs::path beside = folder.path() / "srv/data/.relay-owner.nsec";
  write(above, nsec(1));
  EXPECT_EQ(loaded(), public_key(1));
  write(beside, nsec(2));
  EXPECT_EQ(loaded(), public_key(2));
  write(usual(), nsec(3));
  EXPECT_EQ(loaded(), public_key(3));
  places.file = folder.path() / "owner.nsec";
  write(places.file, nsec(4));
  EXPECT_EQ(loaded(), public_key(4));
  places.setting = secret(5);
  EXPECT_EQ(loaded(), public_key(5));
  places.credentials_directory = folder.path() / "credentials";
  EXPECT_EQ(loaded(), public_key(5));  // the folder holds no such credential
  write(places.credentials_directory / "relay_owner_nsec", nsec(6) + "\n", 0444);
  EXPECT_EQ(loaded(), public_key(6));
}

TEST_F(OwnerKeyTest, LooksNextToARelativeDataPathWithATrailingSlash) {  // R1
  places.relay_data_path = "data/relay/";
  write(places.working_directory / "data/.relay-owner.nsec", nsec(7));
  EXPECT_EQ(loaded(), public_key(7));
}

TEST_F(OwnerKeyTest, LeavesACredentialsModeAlone) {
  places.credentials_directory = folder.path() / "credentials";
  const fs::path credential = places.credentials_directory / "relay_owner_nsec";
  write(credential, nsec(1), 0440);
  loaded();
  EXPECT_EQ(mode_of(credential), 0440U);
}

TEST_F(OwnerKeyTest, TakesReadingFromOthers) {  // R4
  write(usual(), nsec(1), 0664);
  const auto key = load_owner_key(places);
  ASSERT_TRUE(key);
  ASSERT_EQ(key->warnings.size(), 1U);
  EXPECT_NE(key->warnings.front().find("others could read " + usual().string() + " (mode 0664)"),
            std::string::npos)
      << key->warnings.front();
  EXPECT_EQ(mode_of(usual()), 0600U);
  EXPECT_TRUE(load_owner_key(places)->warnings.empty());
}

TEST_F(OwnerKeyTest, MakesTheFileThatIsNamed) {  // R2
  places.file = folder.path() / "owner.nsec";
  const auto key = load_owner_key(places);
  ASSERT_TRUE(key) << key.error();
  EXPECT_TRUE(key->is_new);
  EXPECT_EQ(mode_of(places.file), 0600U);
  EXPECT_FALSE(fs::exists(usual()));
}

TEST_F(OwnerKeyTest, StopsAtASourceThatIsEmptyOrWrong) {  // R3
  for (const char* text : {"", "\n", "nsec1nonsense", "npub1xyz", "hello"}) {
    write(usual(), text);
    EXPECT_NE(failure().find("holds no nsec1"), std::string::npos) << text;
    EXPECT_EQ(failure().find("nonsense"), std::string::npos);
  }
  places.credentials_directory = folder.path() / "credentials";
  write(places.credentials_directory / "relay_owner_nsec", "");
  EXPECT_NE(failure().find("relay_owner_nsec holds no nsec1"), std::string::npos);
}

TEST_F(OwnerKeyTest, StopsWhereItCanWriteNoFile) {
  places.file = folder.path() / "missing/owner.nsec";
  EXPECT_NE(failure().find("cannot create"), std::string::npos) << failure();
  EXPECT_NE(failure().find("NGIT_OWNER_NSEC_FILE"), std::string::npos);
}

TEST_F(OwnerKeyTest, WarnsOfANewIdentityBesideAnOldDatabase) {  // R5
  write(places.relay_data_path / "data.mdb", "x");
  const auto key = load_owner_key(places);
  ASSERT_TRUE(key);
  ASSERT_EQ(key->warnings.size(), 1U);
  EXPECT_NE(key->warnings.front().find("new identity"), std::string::npos);
}

TEST(ParseSecret, TakesBothSpellingsWithBlanksAround) {
  const std::string hex = std::string(63, '0') + "9";
  EXPECT_EQ(parse_secret(nsec(9) + "\r\n")->bytes(), secret(9).bytes());
  EXPECT_EQ(parse_secret(" " + hex)->bytes(), secret(9).bytes());
}

TEST(ParseSecret, RefusesWhatIsNoKeyOfTheCurve) {
  EXPECT_FALSE(parse_secret(std::string(64, '0')));
  EXPECT_FALSE(parse_secret(std::string(64, 'f')));
  EXPECT_FALSE(parse_secret(""));
}

}  // namespace owner_key_test
}  // namespace graspd::app
