#include "web/fetch_words.h"

#include <gtest/gtest.h>

#include "web/sync_report_testing.h"

namespace graspd::sync {
namespace hunts_test {

using namespace testing;

TEST(Hunts, SayWhatIsMissingForWhat) {
  HuntStatus hunt = hunted("tool");
  EXPECT_EQ(wanted_in_words(hunt), "state aaaaaaaaaa");
  EXPECT_EQ(missing_in_words(hunt), "9 objects: bbbbbbbbbb, …");
  hunt.events.push_back({"", "repair", 1, kTakenAt});
  hunt.events.push_back({std::string(64, 'c'), "pull_request", 1, kTakenAt});
  hunt.events_total = 9;
  EXPECT_EQ(wanted_in_words(hunt), "state aaaaaaaaaa; repair; pull request cccccccccc; 6 more");
  hunt.missing = 1;
  EXPECT_EQ(missing_in_words(hunt), "1 object: bbbbbbbbbb");
}

TEST(Hunts, SayFromWhereAndWhatCameOfIt) {
  HuntStatus hunt = hunted("tool");
  EXPECT_EQ(sources_in_words(hunt, kTakenAt),
            "https://a.example/x.git: it is being asked for 5 s; "
            "https://b.example/x.git: there is no such repository (20 s ago)");
  hunt.sources_total = 12;
  EXPECT_TRUE(sources_in_words(hunt, kTakenAt).ends_with("; 10 more"));
  hunt.sources[0].url = std::string(4000, 'x');
  EXPECT_LT(sources_in_words(hunt, kTakenAt).size(), 500u);
}

TEST(Hunts, SayWhenThereIsNobodyToAsk) {
  HuntStatus hunt = hunted("tool");
  hunt.sources.clear();
  hunt.sources_total = 0;
  EXPECT_EQ(sources_in_words(hunt, kTakenAt), "nobody is named who has it");
  hunt.next_try = kTakenAt + 100;
  EXPECT_EQ(sources_in_words(hunt, kTakenAt), "nobody was asked yet");
}

TEST(Hunts, SayWhenItIsTriedAgain) {
  HuntStatus hunt = hunted("tool");
  EXPECT_EQ(next_in_words(hunt, kTakenAt), "under way");
  hunt.next_try = kTakenAt + 20;
  EXPECT_EQ(next_in_words(hunt, kTakenAt), "in 20 s");
  hunt.tries = 3;
  EXPECT_EQ(next_in_words(hunt, kTakenAt), "in 20 s; tried 3 times in vain");
  hunt.next_try = kTakenAt - 1;
  EXPECT_EQ(next_in_words(hunt, kTakenAt), "now; tried 3 times in vain");
}

}  // namespace hunts_test
}  // namespace graspd::sync
