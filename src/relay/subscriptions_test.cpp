#include "relay/subscriptions.h"

#include <gtest/gtest.h>

#include "core/rng.h"

namespace graspd::relay {
namespace subscriptions_test {

nostr::PublicKey author(std::uint8_t n) { return nostr::PublicKey({n}); }
nostr::EventId event_id(std::uint8_t n) { return nostr::EventId({n}); }

Filters filters(std::vector<nostr::Filter> list) {
  for (auto& filter : list) nostr::normalise(filter);
  return std::make_shared<const std::vector<nostr::Filter>>(std::move(list));
}

std::vector<Subscriber> matches(Subscriptions& subscriptions, const nostr::Event& event) {
  std::vector<Subscriber> out;
  subscriptions.match(event, out);
  return out;
}

TEST(Subscriptions, TellsEveryoneWhoAskedForTheKind) {
  Subscriptions subscriptions;
  subscriptions.add({1, 1}, filters({{.kinds = {{nostr::Kind{1621}}}}}));
  subscriptions.add({2, 1}, filters({{.kinds = {{nostr::Kind{1621}}}}}));
  subscriptions.add({3, 1}, filters({{.kinds = {{nostr::Kind{1}}}}}));
  nostr::Event event{.kind = {1621}};
  EXPECT_EQ(matches(subscriptions, event), (std::vector<Subscriber>{{1, 1}, {2, 1}}));
}

TEST(Subscriptions, ReportsASubscriptionOnceThoughSeveralFiltersMatch) {  // R2
  Subscriptions subscriptions;
  subscriptions.add({1, 7},
                    filters({{.kinds = {{nostr::Kind{1}}}}, {.authors = {{author(1)}}}, {}}));
  nostr::Event event{.pubkey = author(1), .kind = {1}};
  EXPECT_EQ(matches(subscriptions, event), (std::vector<Subscriber>{{1, 7}}));
}

TEST(Subscriptions, DoesNotTakeAnIdForAnAuthor) {
  Subscriptions subscriptions;
  subscriptions.add({1, 1}, filters({{.ids = {{event_id(5)}}}}));
  EXPECT_TRUE(matches(subscriptions, {.pubkey = author(5)}).empty());
  EXPECT_EQ(matches(subscriptions, {.id = event_id(5)}).size(), 1u);
}

TEST(Subscriptions, ForgetsWhoLeft) {
  Subscriptions subscriptions;
  subscriptions.add({1, 1}, filters({{}}));
  subscriptions.add({1, 2}, filters({{}}));
  subscriptions.remove({1, 1});
  subscriptions.remove({9, 9});
  EXPECT_EQ(matches(subscriptions, {}), (std::vector<Subscriber>{{1, 2}}));
  EXPECT_EQ(subscriptions.size(), 1u);
}

// The naive twin: a loop over everything that was added.
struct NaiveSubscriptions {
  std::vector<std::pair<Subscriber, Filters>> all;

  std::vector<Subscriber> match(const nostr::Event& event) const {
    std::vector<Subscriber> out;
    for (const auto& [subscriber, list] : all)
      for (const auto& filter : *list)
        if (filter.matches(event)) {
          out.push_back(subscriber);
          break;
        }
    return out;
  }
};

struct Random {
  core::Rng rng;

  nostr::Event event() {
    nostr::Event event{.id = event_id(rng.below(8)),
                       .pubkey = author(rng.below(4)),
                       .created_at = static_cast<core::UnixSeconds>(rng.below(10)),
                       .kind = {static_cast<std::uint16_t>(rng.below(4))}};
    for (auto n = rng.below(4); n > 0; --n) {
      event.tags.begin_row();
      event.tags.append(rng.one_in(2) ? "a" : rng.one_in(2) ? "p" : "long");
      if (!rng.one_in(5)) event.tags.append(std::to_string(rng.below(4)));
    }
    return event;
  }

  nostr::Filter filter() {
    nostr::Filter filter;
    auto some = [&](auto make) {
      std::vector<decltype(make())> list;
      for (auto n = rng.below(3); n > 0; --n) list.push_back(make());
      return list;
    };
    if (rng.one_in(5)) filter.ids = some([&] { return event_id(rng.below(8)); });
    if (rng.one_in(3)) filter.authors = some([&] { return author(rng.below(4)); });
    if (rng.one_in(3))
      filter.kinds = some([&] { return nostr::Kind{static_cast<std::uint16_t>(rng.below(4))}; });
    if (rng.one_in(3))
      filter.tags.push_back({'a', some([&] { return std::to_string(rng.below(4)); })});
    if (rng.one_in(4))
      filter.tags.push_back({'p', some([&] { return std::to_string(rng.below(4)); })});
    if (rng.one_in(5)) filter.since = static_cast<core::UnixSeconds>(rng.below(10));
    return filter;
  }
};

TEST(Subscriptions, EqualALoopOverAllFilters) {  // R1, R3
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    Random random{core::Rng(seed)};
    Subscriptions clever;
    NaiveSubscriptions naive;
    for (std::uint64_t i = 0; i < 200; ++i) {
      if (random.rng.one_in(3) && !naive.all.empty()) {
        auto victim = naive.all.begin() + static_cast<long>(random.rng.below(naive.all.size()));
        clever.remove(victim->first);
        naive.all.erase(victim);
      } else {
        std::vector<nostr::Filter> list;
        for (auto n = 1 + random.rng.below(3); n > 0; --n) list.push_back(random.filter());
        auto shared = filters(std::move(list));
        clever.add({i, i}, shared);
        naive.all.emplace_back(Subscriber{i, i}, shared);
      }
      nostr::Event event = random.event();
      ASSERT_EQ(matches(clever, event), naive.match(event));
    }
  }
}

}  // namespace subscriptions_test
}  // namespace graspd::relay
