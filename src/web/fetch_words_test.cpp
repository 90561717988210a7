#include "web/fetch_words.h"

#include <gtest/gtest.h>

#include "web/sync_report_testing.h"

namespace graspd::sync {
namespace fetch_words_test {

using namespace testing;

TEST(Fetches, SayWhatIsMissingForWhat) {
  FetchStatus fetch = fetched("tool");
  EXPECT_EQ(wanted_in_words(fetch), "state aaaaaaaaaa");
  EXPECT_EQ(missing_in_words(fetch), "9 objects: bbbbbbbbbb, …");
  fetch.events.push_back({"", "repair", 1, kTakenAt});
  fetch.events.push_back({std::string(64, 'c'), "pull_request", 1, kTakenAt});
  fetch.events_total = 9;
  EXPECT_EQ(wanted_in_words(fetch), "state aaaaaaaaaa; repair; pull request cccccccccc; 6 more");
  fetch.missing = 1;
  EXPECT_EQ(missing_in_words(fetch), "1 object: bbbbbbbbbb");
}

TEST(Fetches, SayFromWhereAndWhatCameOfIt) {
  FetchStatus fetch = fetched("tool");
  EXPECT_EQ(sources_in_words(fetch, kTakenAt),
            "https://a.example/x.git: request running for 5 s; "
            "https://b.example/x.git: no such repository (20 s ago)");
  fetch.sources_total = 12;
  EXPECT_TRUE(sources_in_words(fetch, kTakenAt).ends_with("; 10 more"));
  fetch.sources[0].url = std::string(4000, 'x');
  EXPECT_LT(sources_in_words(fetch, kTakenAt).size(), 500u);
}

TEST(Fetches, SayWhenThereIsNobodyToAsk) {
  FetchStatus fetch = fetched("tool");
  fetch.sources.clear();
  fetch.sources_total = 0;
  EXPECT_EQ(sources_in_words(fetch, kTakenAt), "no other server is named");
  fetch.next_try = kTakenAt + 100;
  EXPECT_EQ(sources_in_words(fetch, kTakenAt), "no server asked yet");
}

TEST(Fetches, SayWhenItIsTriedAgain) {
  FetchStatus fetch = fetched("tool");
  EXPECT_EQ(next_in_words(fetch, kTakenAt), "in progress");
  fetch.next_try = kTakenAt + 20;
  EXPECT_EQ(next_in_words(fetch, kTakenAt), "in 20 s");
  fetch.tries = 3;
  EXPECT_EQ(next_in_words(fetch, kTakenAt), "in 20 s; 3 attempts failed");
  fetch.next_try = kTakenAt - 1;
  EXPECT_EQ(next_in_words(fetch, kTakenAt), "now; 3 attempts failed");
}

}  // namespace fetch_words_test
}  // namespace graspd::sync
