#include "nostr/replaceable.h"

#include <gtest/gtest.h>

#include "core/rng.h"
#include "nostr/relay_url.h"

namespace graspd::nostr {
namespace replaceable_test {

const std::string kAuthor = "3bf0c63fcb93463407af97a5e5ee64fa883d107ef9e558472c4eb9aaaefa459d";
const std::string kOther = "7e7e9c42a91bfef19fa929e5fda1b72e0ebc1a4c1141673e2794234d86addf4e";
const std::string kIdA(64, 'a'), kIdB(64, 'b');

Event event_of(Kind kind, Tags tags) {
  Event event;
  event.kind = kind;
  event.pubkey = *PublicKey::from_hex(kAuthor);
  event.tags = std::move(tags);
  return event;
}

Version version(core::UnixSeconds created_at, const std::string& id) {
  return {created_at, *EventId::from_hex(id)};
}

TEST(Version, LaterWins) {
  EXPECT_TRUE(wins(version(2, kIdB), version(1, kIdA)));
  EXPECT_FALSE(wins(version(1, kIdA), version(2, kIdB)));
}

TEST(Version, LowerIdWinsInTheSameSecond) {
  EXPECT_TRUE(wins(version(1, kIdA), version(1, kIdB)));
  EXPECT_FALSE(wins(version(1, kIdB), version(1, kIdA)));
}

TEST(Version, DoesNotWinAgainstItself) { EXPECT_FALSE(wins(version(1, kIdA), version(1, kIdA))); }

TEST(Version, TheSameOneHoldsInWhateverOrderVersionsArrive) {
  constexpr std::uint64_t kSeed = 33;
  SCOPED_TRACE(kSeed);
  core::Rng rng(kSeed);
  for (int round = 0; round < 200; ++round) {
    std::vector<Version> versions;
    for (int i = 0; i < 8; ++i) {
      EventId::Bytes id{};
      id[31] = static_cast<std::uint8_t>(rng.below(256));
      versions.push_back({static_cast<core::UnixSeconds>(rng.below(3)), EventId(id)});
    }
    auto hold = [&] {
      Version holder = versions.front();
      for (const Version& next : versions) holder = wins(next, holder) ? next : holder;
      return holder;
    };
    const Version held = hold();
    std::reverse(versions.begin(), versions.end());
    EXPECT_EQ(hold().id, held.id);
    EXPECT_EQ(hold().created_at, held.created_at);
  }
}

TEST(Deletions, ListIdsAndTheAuthorsOwnAddresses) {
  const auto asked =
      requested_deletions(event_of(kinds::kDeletion, {{"e", kIdA, "wss://hint"},
                                                      {"k", "1"},
                                                      {"a", "30023:" + kAuthor + ":x"},
                                                      {"e", kIdB},
                                                      {"a", "10002:" + kAuthor + ":"}}));
  ASSERT_EQ(asked.ids.size(), 2u);
  EXPECT_EQ(asked.ids[0].hex(), kIdA);
  EXPECT_EQ(asked.ids[1].hex(), kIdB);
  ASSERT_EQ(asked.addresses.size(), 2u);
  EXPECT_EQ(asked.addresses[0].text(), "30023:" + kAuthor + ":x");
  EXPECT_EQ(asked.addresses[1].text(), "10002:" + kAuthor + ":");
}

TEST(Deletions, LeaveOutAddressesOfOthers) {
  const auto asked =
      requested_deletions(event_of(kinds::kDeletion, {{"a", "30023:" + kOther + ":x"}}));
  EXPECT_TRUE(asked.addresses.empty());
}

TEST(Deletions, LeaveOutWhatIsMalformed) {
  const auto asked = requested_deletions(event_of(kinds::kDeletion, {{},
                                                                     {"e"},
                                                                     {"a"},
                                                                     {"e", ""},
                                                                     {"e", kIdA.substr(1)},
                                                                     {"e", std::string(64, 'A')},
                                                                     {"E", kIdA},
                                                                     {"a", "30023:" + kAuthor},
                                                                     {"a", kIdA},
                                                                     {"a", "1:" + kAuthor + ":"}}));
  EXPECT_TRUE(asked.ids.empty());
  EXPECT_TRUE(asked.addresses.empty());
}

TEST(Deletions, AreAskedForByKind5Alone) {
  const auto asked = requested_deletions(event_of(Kind{1}, {{"e", kIdA}}));
  EXPECT_TRUE(asked.ids.empty());
}

TEST(Vanishing, IsAskedOfTheRelayThatIsNamed) {
  const auto here = *RelayUrl::parse("wss://relay.example.com");
  auto asks = [&](Tags tags) {
    return asks_to_vanish_from(event_of(kinds::kVanish, std::move(tags)), here);
  };
  EXPECT_TRUE(asks({{"relay", "wss://relay.example.com"}}));
  EXPECT_TRUE(asks({{"relay", "WS://Relay.Example.com:80/"}}));
  EXPECT_TRUE(asks({{"relay", "wss://elsewhere.example"}, {"relay", "wss://relay.example.com/"}}));
  EXPECT_FALSE(asks({{"relay", "wss://elsewhere.example"}}));
  EXPECT_FALSE(asks({{"relay", "wss://relay.example.com/sub"}}));
  EXPECT_FALSE(asks({{"relay", "relay.example.com"}}));
  EXPECT_FALSE(asks({{"r", "wss://relay.example.com"}}));
  EXPECT_FALSE(asks({{"relay"}}));
  EXPECT_FALSE(asks({}));
}

TEST(Vanishing, IsAskedOfAllRelaysInUpperCaseOnly) {
  const auto here = *RelayUrl::parse("wss://relay.example.com");
  EXPECT_TRUE(asks_to_vanish_from(event_of(kinds::kVanish, {{"relay", "ALL_RELAYS"}}), here));
  EXPECT_FALSE(asks_to_vanish_from(event_of(kinds::kVanish, {{"relay", "all_relays"}}), here));
}

TEST(Vanishing, IsAskedByKind62Alone) {
  const auto here = *RelayUrl::parse("wss://relay.example.com");
  EXPECT_FALSE(asks_to_vanish_from(event_of(Kind{1}, {{"relay", "ALL_RELAYS"}}), here));
}

}  // namespace replaceable_test
}  // namespace graspd::nostr
