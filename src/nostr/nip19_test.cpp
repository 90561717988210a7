#include "nostr/nip19.h"

#include <gtest/gtest.h>

#include "core/rng.h"
#include "nostr/bech32.h"

namespace graspd::nostr::nip19 {
namespace nip19_test {

const std::string kHex = "3bf0c63fcb93463407af97a5e5ee64fa883d107ef9e558472c4eb9aaaefa459d";
const std::string kNpub = "npub180cvv07tjdrrgpa0j7j7tmnyl2yr6yr7l8j4s3evf6u64th6gkwsyjh6w6";
const std::string kNsec = "nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5";
const PublicKey kKey = *PublicKey::from_hex(kHex);

using Bytes = std::vector<std::uint8_t>;

Bytes field(std::uint8_t type, const Bytes& value) {
  Bytes out = {type, static_cast<std::uint8_t>(value.size())};
  out.insert(out.end(), value.begin(), value.end());
  return out;
}
Bytes operator+(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
Bytes bytes_of(const PublicKey& key) { return {key.bytes().begin(), key.bytes().end()}; }

BadEntity failure(const std::string& prefix, const Bytes& payload) {
  const auto entity = decode(bech32::encode(prefix, payload));
  EXPECT_FALSE(entity);
  return entity ? BadEntity::NotBech32 : entity.error();
}

template <class Wanted>
Wanted decoded(const std::string& text) {
  const auto entity = decode(text);
  EXPECT_TRUE(entity) << text;
  return std::get<Wanted>(*entity);
}

TEST(Nip19, KnowsTheKeysOfItsText) {
  EXPECT_EQ(npub(kKey), kNpub);
  EXPECT_EQ(decoded<PublicKey>(kNpub), kKey);
  const std::string other = "npub10elfcs4fr0l0r8af98jlmgdh9c8tcxjvz9qkw038js35mp4dma8qzvjptg";
  EXPECT_EQ(decoded<PublicKey>(other).hex(),
            "7e7e9c42a91bfef19fa929e5fda1b72e0ebc1a4c1141673e2794234d86addf4e");
  EXPECT_EQ(npub(decoded<PublicKey>(other)), other);
}

TEST(Nip19, KnowsTheSecretKeyOfItsText) {
  const auto key = decoded<SecretKey>(kNsec);
  EXPECT_EQ(core::encode_hex(key.bytes()),
            "67dea2ed018072d675f5415ecfaed7d2597555e202d85b3d65ea4e58d2d92ffa");
  EXPECT_EQ(nsec(key), kNsec);
}

TEST(Nip19, KnowsTheProfileOfItsText) {
  const std::string text =
      "nprofile1qqsrhuxx8l9ex335q7he0f09aej04zpazpl0ne2cgukyawd24mayt8gpp4mhxue69uhhytnc9e3k7mgpz4m"
      "hxue69uhkg6nzv9ejuumpv34kytnrdaksjlyr9p";
  const Profile profile{kKey, {"wss://r.x.com", "wss://djbas.sadkb.com"}};
  EXPECT_EQ(decoded<Profile>(text), profile);
  EXPECT_EQ(encode(profile), text);
}

TEST(Nip19, ParsesAnNpubInLowerCaseAlone) {
  EXPECT_EQ(parse_npub(kNpub), kKey);
  std::string upper = kNpub;
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  EXPECT_EQ(decoded<PublicKey>(upper), kKey);
  EXPECT_FALSE(parse_npub(upper));
  EXPECT_FALSE(parse_npub(kNsec));
  EXPECT_FALSE(parse_npub(kHex));
  EXPECT_FALSE(parse_npub(kNpub + " "));
  EXPECT_FALSE(parse_npub(" " + kNpub));
  EXPECT_FALSE(parse_npub("nostr:" + kNpub));
  EXPECT_FALSE(parse_npub(""));
}

TEST(Nip19, ParsesAnNsecAlone) {
  ASSERT_TRUE(parse_nsec(kNsec));
  EXPECT_EQ(nsec(*parse_nsec(kNsec)), kNsec);
  EXPECT_FALSE(parse_nsec(kNpub));
  EXPECT_FALSE(parse_nsec(""));
}

TEST(Nip19, SkipsFieldsItDoesNotKnow) {  // R1
  const Bytes payload = field(9, {1, 2, 3}) + field(0, bytes_of(kKey)) + field(255, {});
  EXPECT_EQ(decoded<Profile>(bech32::encode("nprofile", payload)), (Profile{kKey, {}}));
  // An author is unknown to a profile, whatever its length.
  const Bytes odd = field(0, bytes_of(kKey)) + field(2, {1});
  EXPECT_EQ(decoded<Profile>(bech32::encode("nprofile", odd)), (Profile{kKey, {}}));
}

TEST(Nip19, RefusesKnownFieldsOfTheWrongLength) {  // R1
  const Bytes key = bytes_of(kKey);
  const Bytes cut(key.begin(), key.end() - 1);
  for (const char* prefix : {"npub", "nsec", "note"}) {
    EXPECT_EQ(failure(prefix, {}), BadEntity::WrongLength);
    EXPECT_EQ(failure(prefix, cut), BadEntity::WrongLength);
    EXPECT_EQ(failure(prefix, key + Bytes{0}), BadEntity::WrongLength);
  }
  EXPECT_EQ(failure("nprofile", field(0, cut)), BadEntity::WrongLength);
  EXPECT_EQ(failure("nevent", field(0, key) + field(2, cut)), BadEntity::WrongLength);
  EXPECT_EQ(failure("nevent", field(0, key) + field(3, {1, 2})), BadEntity::WrongLength);
  EXPECT_EQ(failure("naddr", field(0, {}) + field(2, key) + field(3, {0, 0, 0, 0, 0})),
            BadEntity::WrongLength);
}

TEST(Nip19, RefusesLengthsThatPointBeyondTheEnd) {
  const Bytes key = bytes_of(kKey);
  EXPECT_EQ(failure("nprofile", {0}), BadEntity::WrongLength);
  EXPECT_EQ(failure("nprofile", {0, 32}), BadEntity::WrongLength);
  EXPECT_EQ(failure("nprofile", Bytes{0, 33} + key), BadEntity::WrongLength);
  EXPECT_EQ(failure("nprofile", field(0, key) + Bytes{1}), BadEntity::WrongLength);
  EXPECT_EQ(failure("nprofile", field(0, key) + Bytes{1, 255, 'w'}), BadEntity::WrongLength);
}

TEST(Nip19, TakesTheFirstOfRepeatedFields) {  // R2
  const Bytes other(32, 7);
  const Bytes payload = field(0, bytes_of(kKey)) + field(0, other);
  EXPECT_EQ(decoded<Profile>(bech32::encode("nprofile", payload)).pubkey, kKey);
}

TEST(Nip19, RefusesWhatLacksAField) {
  const Bytes key = bytes_of(kKey);
  const Bytes kind = {0, 0, 0x77, 0x99};  // 30617
  EXPECT_EQ(failure("nprofile", {}), BadEntity::MissingField);
  EXPECT_EQ(failure("nevent", field(2, key)), BadEntity::MissingField);
  EXPECT_EQ(failure("naddr", field(2, key) + field(3, kind)), BadEntity::MissingField);
  EXPECT_EQ(failure("naddr", field(0, {}) + field(3, kind)), BadEntity::MissingField);
  EXPECT_EQ(failure("naddr", field(0, {}) + field(2, key)), BadEntity::MissingField);
}

TEST(Nip19, RefusesAddressesNoEventCanHave) {
  const Bytes start = field(0, {'x'}) + field(2, bytes_of(kKey));
  EXPECT_EQ(failure("naddr", start + field(3, {0, 0, 0, 1})), BadEntity::ImpossibleAddress);
  EXPECT_EQ(failure("naddr", start + field(3, {0, 0, 0, 0})), BadEntity::ImpossibleAddress);
  // 65536 + 30617: must not be taken for 30617.
  EXPECT_EQ(failure("naddr", start + field(3, {0, 1, 0x77, 0x99})), BadEntity::ImpossibleAddress);
}

TEST(Nip19, SaysWhyItRefuses) {
  EXPECT_EQ(decode(std::string(5001, 'q')).error(), BadEntity::TooLong);
  EXPECT_EQ(decode("").error(), BadEntity::NotBech32);
  EXPECT_EQ(decode("Npub1" + kNpub.substr(5)).error(), BadEntity::NotBech32);
  EXPECT_EQ(decode(kNpub.substr(0, 62) + "7").error(), BadEntity::Checksum);
  EXPECT_EQ(failure("nrelay", {}), BadEntity::UnknownPrefix);
  EXPECT_EQ(failure("bc", bytes_of(kKey)), BadEntity::UnknownPrefix);
  for (int i = 0; i <= static_cast<int>(BadEntity::ImpossibleAddress); ++i) {
    EXPECT_FALSE(describe(static_cast<BadEntity>(i)).empty());
  }
}

TEST(Nip19, WritesNoNameForAnIdentifierThatDoesNotFit) {  // R3
  AddressPointer pointer{{Kind{30617}, kKey, std::string(255, 'x')}, {}};
  EXPECT_EQ(decoded<AddressPointer>(*encode(pointer)), pointer);
  pointer.address.identifier += 'x';
  EXPECT_FALSE(encode(pointer));
}

TEST(Nip19, LeavesOutRelaysThatDoNotFit) {  // R3
  const std::string fits(255, 'r');
  EXPECT_EQ(decoded<Profile>(encode(Profile{kKey, {fits + "r", fits}})), (Profile{kKey, {fits}}));
  const std::string longest = encode(Profile{kKey, std::vector<std::string>(1000, fits)});
  EXPECT_LE(longest.size(), 5000u);
  EXPECT_EQ(decoded<Profile>(longest).relays.size(), 11u);
}

TEST(Nip19, ReadsBackWhateverItWrites) {
  constexpr std::uint64_t kSeed = 37;
  SCOPED_TRACE(kSeed);
  core::Rng rng(kSeed);
  const auto random_text = [&](std::size_t max) {
    std::string text(rng.below(max + 1), ' ');
    for (char& c : text) c = static_cast<char>(rng.next());
    return text;
  };
  for (int i = 0; i < 500; ++i) {
    PublicKey::Bytes key;
    for (auto& byte : key) byte = static_cast<std::uint8_t>(rng.next());
    std::vector<std::string> relays(rng.below(4));
    for (auto& relay : relays) relay = random_text(255);
    EventPointer event{EventId(key), relays, {}, {}};
    if (rng.one_in(2)) event.author = kKey;
    if (rng.one_in(2)) event.kind = static_cast<std::uint32_t>(rng.next());
    const AddressPointer address{{Kind{30617}, PublicKey(key), random_text(255)}, relays};

    EXPECT_EQ(decoded<PublicKey>(npub(PublicKey(key))), PublicKey(key));
    EXPECT_EQ(decoded<EventId>(note(EventId(key))), EventId(key));
    EXPECT_EQ(decoded<Profile>(encode(Profile{kKey, relays})), (Profile{kKey, relays}));
    EXPECT_EQ(decoded<EventPointer>(encode(event)), event);
    EXPECT_EQ(decoded<AddressPointer>(*encode(address)), address);
  }
}

}  // namespace nip19_test
}  // namespace graspd::nostr::nip19
