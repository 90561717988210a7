#include "git/fetch_sources.h"

#include <gtest/gtest.h>

#include "git/fetch_scheduler_testing.h"

namespace graspd::git::fetch {
namespace scheduler_sources_test {

using namespace std::chrono_literals;

std::vector<std::string> texts(const std::vector<RankedSource>& ranked) {
  std::vector<std::string> all;
  for (const RankedSource& one : ranked) all.push_back(one.source.url.text());
  return all;
}

Source plain(const std::string& text) { return {url(text), false}; }
Source grasp(const std::string& text) { return {url(text), true}; }

TEST(Sources, R1GraspServersComeFirst) {
  const Domains domains{{}};
  const auto ranked = rank({{{"e"},
                             {plain("https://a.example/r"), grasp("https://b.example/r"),
                              plain("https://c.example/r")}}},
                           domains, 32, 0);
  EXPECT_EQ(texts(ranked), (std::vector<std::string>{"https://b.example/r", "https://a.example/r",
                                                     "https://c.example/r"}));
}

TEST(Sources, R1TheBestRecordComesFirst) {
  Domains domains{{}};
  const auto use = [&](const std::string& text, std::optional<FetchFailure> failure) {
    const auto ticket = domains.start(url(text), Kind::Advertisement, 1, at(0s).instant);
    domains.end(ticket, 1, failure, std::nullopt, at(0s).instant);
  };
  use("https://bad.example/x", FetchFailure::Unreachable);
  use("https://good.example/x", std::nullopt);
  const auto ranked = rank({{{"e"},
                             {plain("https://bad.example/r"), plain("https://new.example/r"),
                              plain("https://good.example/r")}}},
                           domains, 32, 0);
  EXPECT_EQ(texts(ranked),
            (std::vector<std::string>{"https://good.example/r", "https://new.example/r",
                                      "https://bad.example/r"}));
}

TEST(Sources, R2AnEventThatNamesAHundredDoesNotCrowdOutTheRest) {
  const Domains domains{{}};
  std::vector<Source> many;
  for (int i = 0; i < 100; ++i) many.push_back(plain("https://many.example/" + std::to_string(i)));
  const auto ranked =
      rank({{{"many"}, many}, {{"few"}, {plain("https://few.example/r")}}}, domains, 8, 0);
  EXPECT_EQ(ranked.size(), 8u);
  EXPECT_EQ(std::ranges::count(texts(ranked), "https://few.example/r"), 1);
}

TEST(Sources, R2AnotherEventBeginsNextTime) {
  const Domains domains{{}};
  std::vector<NamedSources> named;
  for (int i = 0; i < 5; ++i)
    named.push_back({{std::to_string(i)}, {plain("https://x.example/" + std::to_string(i))}});
  EXPECT_EQ(texts(rank(named, domains, 2, 3)),
            (std::vector<std::string>{"https://x.example/3", "https://x.example/4"}));
}

TEST(Sources, R3SayWhichEventsNameThem) {
  const Domains domains{{}};
  const auto ranked =
      rank({{{"one"}, {plain("https://a.example/r")}},
            {{"two"}, {plain("https://a.example/r/"), plain("https://b.example/r")}}},
           domains, 32, 0);
  ASSERT_EQ(ranked.size(), 2u);
  EXPECT_EQ(ranked[0].events, (std::vector<EventKey>{{"one"}, {"two"}}));
  EXPECT_EQ(ranked[1].events, (std::vector<EventKey>{{"two"}}));
}

}  // namespace scheduler_sources_test
}  // namespace graspd::git::fetch
