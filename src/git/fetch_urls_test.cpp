#include "git/fetch_urls.h"

#include <gtest/gtest.h>

#include "git/fetch_scheduler_testing.h"

namespace graspd::git::fetch {
namespace scheduler_urls_test {

using namespace std::chrono_literals;

const FetchUrl kUrl = url("https://git.example/a/b.git");
const FetchUrl kNeighbour = url("https://git.example/c/d.git");

TEST(Urls, R1RememberMissesForHalfAnHour) {
  Urls urls{{}};
  urls.advertised(kUrl, 7, at(0s).instant);
  urls.missed(kUrl, {oid(1)}, at(0s).instant);
  urls.advertised(kUrl, 7, at(60s).instant);
  EXPECT_TRUE(urls.is_missed(kUrl, oid(1), at(29min).instant));
  EXPECT_FALSE(urls.is_missed(kUrl, oid(2), at(29min).instant));
  EXPECT_FALSE(urls.is_missed(kNeighbour, oid(1), at(29min).instant));
  EXPECT_FALSE(urls.is_missed(kUrl, oid(1), at(30min).instant));
}

TEST(Urls, R1ForgetMissesWhenTheAdvertisementChanges) {
  Urls urls{{}};
  urls.advertised(kUrl, 7, at(0s).instant);
  urls.missed(kUrl, {oid(1)}, at(0s).instant);
  urls.advertised(kUrl, 8, at(60s).instant);
  EXPECT_FALSE(urls.is_missed(kUrl, oid(1), at(61s).instant));
}

TEST(Urls, R2LeaveAUrlAloneThatIsNotThereAndLongerEachTime) {
  Urls urls{{}};
  urls.failed(kUrl, FetchFailure::NotFound, at(0s).instant);
  EXPECT_EQ(urls.left_alone(kUrl, at(29s).instant), FetchFailure::NotFound);
  EXPECT_EQ(urls.left_alone(kNeighbour, at(29s).instant), std::nullopt);
  EXPECT_EQ(urls.left_alone(kUrl, at(30s).instant), std::nullopt);
  urls.failed(kUrl, FetchFailure::NotFound, at(30s).instant);
  EXPECT_NE(urls.left_alone(kUrl, at(89s).instant), std::nullopt);
  EXPECT_EQ(urls.left_alone(kUrl, at(90s).instant), std::nullopt);
}

TEST(Urls, R2LeaveAUrlAloneForLongThatSendsTooMuch) {
  Urls urls{{}};
  urls.failed(kUrl, FetchFailure::TooLarge, at(0s).instant);
  EXPECT_NE(urls.left_alone(kUrl, at(15min).instant), std::nullopt);
}

TEST(Urls, R2AreNotBlamedForTheirSite) {
  Urls urls{{}};
  urls.failed(kUrl, FetchFailure::Name, at(0s).instant);
  urls.failed(kUrl, FetchFailure::Unreachable, at(0s).instant);
  urls.failed(kUrl, FetchFailure::OurFault, at(0s).instant);
  EXPECT_EQ(urls.left_alone(kUrl, at(0s).instant), std::nullopt);
}

TEST(Urls, ArePardonedWhenThereIsNewsButNotForWhatTheySent) {
  Urls urls{{}};
  urls.failed(kUrl, FetchFailure::NotFound, at(0s).instant);
  urls.failed(kNeighbour, FetchFailure::Corrupt, at(0s).instant);
  urls.clear_failures(kUrl);
  urls.clear_failures(kNeighbour);
  EXPECT_EQ(urls.left_alone(kUrl, at(1s).instant), std::nullopt);
  EXPECT_EQ(urls.left_alone(kNeighbour, at(1s).instant), FetchFailure::Corrupt);
}

TEST(Urls, R3ForgetTheLeastRecentlyUsed) {
  Options options;
  options.urls_remembered = 3;
  Urls urls(options);
  for (int i = 0; i < 4; ++i)
    urls.missed(url("https://git.example/" + std::to_string(i)), {oid(1)}, at(i * 1s).instant);
  EXPECT_EQ(urls.size(), 3u);
  EXPECT_FALSE(urls.is_missed(url("https://git.example/0"), oid(1), at(5s).instant));
  EXPECT_TRUE(urls.is_missed(url("https://git.example/3"), oid(1), at(5s).instant));
}

}  // namespace scheduler_urls_test
}  // namespace graspd::git::fetch
