#include "nostr/filter.h"

#include <gtest/gtest.h>

#include "core/rng.h"

namespace graspd::nostr {
namespace filter_test {

EventId id(std::uint8_t n) { return EventId(EventId::Bytes{n}); }
PublicKey key(std::uint8_t n) { return PublicKey(PublicKey::Bytes{n}); }

Event sample() {
  Event event;
  event.id = id(1);
  event.pubkey = key(2);
  event.created_at = 1000;
  event.kind = Kind{1};
  event.tags = {{"e", "abc", "hint"}, {"t", "nostr"}, {"t", "git"}, {"x"}, {"long", "value"}};
  return event;
}

Filter with_tags(std::vector<TagCondition> tags) {
  Filter filter;
  filter.tags = std::move(tags);
  normalise(filter);
  return filter;
}

TEST(Filter, WithoutConditionsMatchesEverything) { EXPECT_TRUE(Filter().matches(sample())); }

TEST(Filter, NeedsEveryCondition) {
  Filter filter;
  filter.ids = {id(1), id(9)};
  filter.authors = {key(2)};
  filter.kinds = {Kind{1}, Kind{7}};
  filter.tags = {{'e', {"abc"}}};
  EXPECT_TRUE(filter.matches(sample()));

  Filter other_id = filter, other_author = filter, other_kind = filter, other_tag = filter;
  other_id.ids = {id(3)};
  other_author.authors = {key(3)};
  other_kind.kinds = {Kind{2}};
  other_tag.tags = {{'e', {"abd"}}};
  for (const Filter& wrong : {other_id, other_author, other_kind, other_tag}) {
    EXPECT_FALSE(wrong.matches(sample()));
  }
}

TEST(Filter, MatchesNothingWhenAListIsEmpty) {  // R1
  Filter ids, authors, kinds;
  ids.ids.emplace();
  authors.authors.emplace();
  kinds.kinds.emplace();
  for (const Filter& filter : {ids, authors, kinds, with_tags({{'t', {}}})}) {
    EXPECT_FALSE(filter.matches(sample()));
    EXPECT_TRUE(filter.is_impossible());
  }
}

TEST(Filter, MatchesAnyOfTheValuesOfATag) {
  EXPECT_TRUE(with_tags({{'t', {"zzz", "git"}}}).matches(sample()));
  EXPECT_TRUE(with_tags({{'t', {"nostr"}}, {'e', {"abc"}}}).matches(sample()));
  EXPECT_FALSE(with_tags({{'t', {"nostr"}}, {'e', {"xyz"}}}).matches(sample()));
}

TEST(Filter, LooksAtTheFirstValueOnly) {  // R2
  EXPECT_FALSE(with_tags({{'e', {"hint"}}}).matches(sample()));
}

TEST(Filter, DistinguishesUpperFromLowerCaseTags) {  // R2
  EXPECT_FALSE(with_tags({{'E', {"abc"}}}).matches(sample()));
}

TEST(Filter, ATagWithoutValueHasNotTheEmptyOne) {  // R2
  EXPECT_FALSE(with_tags({{'x', {""}}}).matches(sample()));
}

TEST(Filter, IncludesBothEndsOfItsTime) {
  Filter filter;
  filter.since = filter.until = 1000;
  EXPECT_TRUE(filter.matches(sample()));
  filter.since = 1001;
  EXPECT_FALSE(filter.matches(sample()));
  filter.since = 0;
  filter.until = 999;
  EXPECT_FALSE(filter.matches(sample()));
}

TEST(Filter, LimitTakesNoPartInMatching) {  // R3
  Filter filter;
  filter.limit = 0;
  EXPECT_TRUE(filter.matches(sample()));
  EXPECT_FALSE(filter.is_impossible());
}

TEST(Filter, IsImpossibleWhenItEndsBeforeItBegins) {
  Filter filter;
  filter.since = 10;
  filter.until = 9;
  EXPECT_TRUE(filter.is_impossible());
  filter.until = 10;
  EXPECT_FALSE(filter.is_impossible());
  filter.since.reset();
  filter.until = -1;
  EXPECT_TRUE(filter.is_impossible()) << "no event is older than 1970";
}

TEST(Filter, NormaliseSortsAndDropsRepeats) {
  Filter filter;
  filter.kinds = {Kind{7}, Kind{1}, Kind{7}};
  filter.ids = {id(2), id(1), id(2)};
  filter.tags = {{'t', {"b", "a", "b"}}, {'e', {"x"}}};
  normalise(filter);
  EXPECT_EQ(filter.kinds, (std::vector<Kind>{Kind{1}, Kind{7}}));
  EXPECT_EQ(filter.ids, (std::vector<EventId>{id(1), id(2)}));
  EXPECT_EQ(filter.tags, (std::vector<TagCondition>{{'e', {"x"}}, {'t', {"a", "b"}}}));
}

TEST(Filter, FindsEveryMemberOfALongList) {
  constexpr std::uint64_t kSeed = 11;
  SCOPED_TRACE(kSeed);
  core::Rng rng(kSeed);
  for (int round = 0; round < 50; ++round) {
    Filter filter;
    filter.authors.emplace();
    std::vector<bool> listed(256);
    for (int i = 0; i < 40; ++i) {
      const auto n = static_cast<std::uint8_t>(rng.next());
      filter.authors->push_back(key(n));
      listed[n] = true;
    }
    normalise(filter);
    for (int n = 0; n < 256; ++n) {
      Event event = sample();
      event.pubkey = key(static_cast<std::uint8_t>(n));
      EXPECT_EQ(filter.matches(event), listed[static_cast<std::size_t>(n)]);
    }
  }
}

}  // namespace filter_test
}  // namespace graspd::nostr
