#include "grasp/event_digest.h"

#include <gtest/gtest.h>

#include "core/rng.h"
#include "store/testing/events.h"

namespace graspd::grasp {
namespace event_digest_test {

using store::testing::author;

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : rng_(seed) {}

  nostr::WireEventPtr event() {
    nostr::Tags tags;
    for (std::uint64_t count = rng_.below(5); count > 0; --count) {
      tags.begin_row();
      tags.append(name());
      for (std::uint64_t items = rng_.below(3); items > 0; --items) tags.append(value());
    }
    return store::testing::event(who(), kind(), time(), std::move(tags));
  }
  nostr::Filter filter(const nostr::Event& known) {
    nostr::Filter filter;
    if (rng_.one_in(4)) filter.ids = {{known.id}};
    if (rng_.one_in(4)) filter.authors = {{author(who()), author(who())}};
    if (rng_.one_in(3)) filter.kinds = {{{kind()}, {kind()}}};
    if (rng_.one_in(20)) filter.kinds.emplace();
    if (rng_.one_in(3)) filter.since = time();
    if (rng_.one_in(3)) filter.until = time();
    for (const char letter : {'a', 'A', 'e'})
      if (rng_.one_in(3)) filter.tags.push_back({letter, {value(), value()}});
    nostr::normalise(filter);
    return filter;
  }

 private:
  std::uint32_t who() { return static_cast<std::uint32_t>(rng_.below(3)); }
  std::uint16_t kind() { return static_cast<std::uint16_t>(rng_.below(3)); }
  core::UnixSeconds time() { return static_cast<core::UnixSeconds>(rng_.below(10)); }
  std::string value() { return std::string(rng_.below(3), 'x'); }
  std::string name() {
    const std::string names[] = {"a", "A", "e", "alt", ""};
    return names[rng_.below(5)];
  }

  core::Rng rng_;
};

TEST(EventDigest, MatchesAsItsEventDoes) {  // R1
  Chance chance(1);
  std::size_t matches = 0;
  for (int i = 0; i < 4'000; ++i) {
    const auto one = chance.event(), other = chance.event();
    const nostr::Filter filter = chance.filter(other->event);
    for (const auto& wire : {one, other}) {
      const bool expected = filter.matches(wire->event);
      ASSERT_EQ(DigestFilter(filter).matches(digest_of(wire->event)), expected) << wire->json;
      matches += expected ? 1 : 0;
    }
  }
  EXPECT_GT(matches, 400U);
}

TEST(EventDigest, HashesAreWrittenDownAndStayAsTheyAre) {  // R2
  EXPECT_EQ(hash_of("abc"), 0xba7816bf8f01cfeaU);
  const auto event = store::testing::event(1, 1, 5, {{"a", "bc"}});
  EXPECT_EQ(digest_of(event->event).tags, std::vector<std::uint64_t>{hash_of("abc")});
}

TEST(EventDigest, HoldsATagOnce) {
  const auto event = store::testing::event(1, 1, 5, {{"a", "b"}, {"a", "b", "c"}, {"a"}, {"alt"}});
  EXPECT_EQ(digest_of(event->event).tags.size(), 1U);
}

}  // namespace event_digest_test
}  // namespace graspd::grasp
