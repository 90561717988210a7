#include "grasp/references.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "store/testing/events.h"

namespace graspd::grasp {
namespace references_test {

using store::testing::author;
using store::testing::event;

const std::string kKey = author(9).hex();

nostr::EventId id(char digit) { return *nostr::EventId::from_hex(std::string(64, digit)); }
nostr::Address address(std::string_view text) { return *nostr::Address::parse(text); }
References references(nostr::Tags tags) {
  return references_of(event(1, 1, 1, std::move(tags))->event);
}

TEST(References, AreReadFromSixTags) {  // R1, R2
  const auto out = references({{"a", "30617:" + kKey + ":x:y", "wss://hint"},
                               {"A", "30617:" + kKey + ":z"},
                               {"q", "30618:" + kKey + ":x"},
                               {"e", id('1').hex(), "", "root"},
                               {"E", id('2').hex()},
                               {"q", id('3').hex()},
                               {"e", id('1').hex()},
                               {"A", "30617:" + kKey + ":x:y"},
                               {"p", kKey},
                               {"r", id('4').hex()},
                               {"Q", id('5').hex()}});
  EXPECT_EQ(out.addresses,
            (std::vector{address("30617:" + kKey + ":x:y"), address("30617:" + kKey + ":z"),
                         address("30618:" + kKey + ":x")}));
  EXPECT_EQ(out.ids, (std::vector{id('1'), id('2'), id('3')}));
}

TEST(References, SkipWhatCannotBeRead) {  // R1
  const auto out = references({{"a"},
                               {"a", ""},
                               {"a", "x"},
                               {"a", "1:" + kKey + ":x"},
                               {"a", "30617:" + kKey},
                               {"e", "x"},
                               {"e"},
                               {"q", ""},
                               {"q", "a:b:c"},
                               {"e", std::string(64, 'E')},
                               {"e", "30617:" + kKey + ":x"},
                               {"a", id('1').hex()}});
  EXPECT_TRUE(out.empty());
}

TEST(References, ReadTheShortAddressOfAReplaceableEvent) {  // R3
  const auto out = references({{"a", "10002:" + kKey}, {"a", "10002:" + kKey + ":"}});
  EXPECT_EQ(out.addresses, std::vector{address("10002:" + kKey + ":")});
}

TEST(References, AreBounded) {  // R2
  nostr::Tags tags;
  for (std::uint32_t i = 0; i < 2 * kReferencesMax; ++i) {
    tags.begin_row();
    tags.append(i % 2 ? "a" : "e");
    tags.append(i % 2 ? "30617:" + kKey + ":" + std::to_string(i) : author(i).hex());
  }
  const auto out = references(tags);
  EXPECT_EQ(out.addresses.size() + out.ids.size(), kReferencesMax);
}

TEST(Referrers, AreFoundByIdAndByAddress) {  // R4
  const auto is_found = [](const nostr::Event& spoken_of, nostr::Tags tags) {
    const auto filters = referrers_of(spoken_of);
    const auto speaker = event(5, 1, 1, std::move(tags));
    return std::any_of(filters.begin(), filters.end(),
                       [&](const auto& filter) { return filter.matches(speaker->event); });
  };
  const auto issue = event(1, 1621, 1)->event;
  const auto repository = event(1, 30617, 1, {{"d", "x:y"}})->event;
  const auto profile = event(1, 0, 1)->event;
  const std::string by = author(1).hex();
  for (const char* letter : {"e", "E", "q"}) {
    EXPECT_TRUE(is_found(issue, {{letter, issue.id.hex()}}));
    EXPECT_TRUE(is_found(repository, {{letter, repository.id.hex()}}));
  }
  for (const char* letter : {"a", "A", "q"}) {
    EXPECT_TRUE(is_found(repository, {{letter, "30617:" + by + ":x:y"}}));
    EXPECT_TRUE(is_found(profile, {{letter, "0:" + by + ":"}}));
    EXPECT_TRUE(is_found(profile, {{letter, "0:" + by}}));
    EXPECT_FALSE(is_found(repository, {{letter, "30617:" + by + ":x"}}));
    EXPECT_FALSE(is_found(repository, {{letter, "30617:" + by}}));
  }
  EXPECT_FALSE(is_found(issue, {{"p", by}}));
  EXPECT_FALSE(is_found(issue, {{"a", issue.id.hex()}}));
}

TEST(Anchors, AreNotListsProfilesAndDeletions) {  // R5
  for (const int kind : {0, 3, 5, 62, 10002, 10003, 10317, 22242}) {
    EXPECT_FALSE(can_anchor({static_cast<std::uint16_t>(kind)})) << kind;
  }
  for (const int kind : {1, 1111, 1617, 1618, 1619, 1621, 1630, 1631, 1632, 1633, 30617, 30618}) {
    EXPECT_TRUE(can_anchor({static_cast<std::uint16_t>(kind)})) << kind;
  }
}

}  // namespace references_test
}  // namespace graspd::grasp
