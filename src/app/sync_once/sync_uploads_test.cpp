#include "app/sync_once/sync_uploads.h"

#include <gtest/gtest.h>

namespace graspd::app {
namespace sync_uploads_test {

using namespace std::chrono_literals;

nostr::EventId id(std::uint16_t number) {
  nostr::EventId::Bytes bytes{};
  bytes[0] = static_cast<std::uint8_t>(number >> 8);
  bytes[1] = static_cast<std::uint8_t>(number);
  return nostr::EventId(bytes);
}
const core::Instant kNow{1h};

std::size_t sent(SyncUploads& uploads, core::Instant now) {
  std::size_t count = 0;
  while (uploads.next(now)) ++count;
  return count;
}

TEST(SyncUploads, SendEachOnce) {  // R1
  SyncUploads uploads;
  EXPECT_TRUE(uploads.add(id(1)));
  EXPECT_FALSE(uploads.add(id(1)));
  EXPECT_EQ(uploads.next(kNow), id(1));
  EXPECT_EQ(uploads.next(kNow), std::nullopt);
  EXPECT_FALSE(uploads.is_done());
  EXPECT_TRUE(uploads.answered(id(1)));
  EXPECT_FALSE(uploads.answered(id(1)));
  EXPECT_TRUE(uploads.is_done());
}

TEST(SyncUploads, AreBoundedOnTheWay) {
  SyncUploads uploads;
  for (std::uint16_t i = 0; i < 1000; ++i) uploads.add(id(i));
  EXPECT_EQ(sent(uploads, kNow), SyncUploads::kInFlightMax);
  EXPECT_EQ(uploads.left(), 1000U);
}

TEST(SyncUploads, BeginAgainWithOneWhenTheyWereTooFast) {  // R2
  SyncUploads uploads;
  for (std::uint16_t i = 0; i < 10; ++i) uploads.add(id(i));
  EXPECT_EQ(sent(uploads, kNow), 10U);
  for (std::uint16_t i = 0; i < 10; ++i) uploads.slow_down(id(i), kNow);
  EXPECT_EQ(uploads.next(kNow + 999ms), std::nullopt);
  const auto first = uploads.next(kNow + 1s);
  ASSERT_TRUE(first);
  EXPECT_EQ(uploads.next(kNow + 1s), std::nullopt);
  uploads.answered(*first);
  EXPECT_EQ(sent(uploads, kNow + 1s), 2U);
  EXPECT_EQ(uploads.left(), 9U);
}

TEST(SyncUploads, PauseLongerAndLongerAndGiveUpInTheEnd) {  // R3
  SyncUploads uploads;
  uploads.add(id(1));
  core::Instant now = kNow;
  for (std::uint32_t i = 0; i < SyncUploads::kRefusalsMax; ++i) {
    EXPECT_FALSE(uploads.is_hopeless());
    while (!uploads.next(now)) now += 1s;
    uploads.slow_down(id(1), now);
  }
  EXPECT_TRUE(uploads.is_hopeless());
  EXPECT_EQ(now - kNow, 127s);
}

TEST(SyncUploads, ComeBackWithTheNextConnection) {  // R1
  SyncUploads uploads;
  uploads.add(id(1));
  uploads.add(id(2));
  sent(uploads, kNow);
  uploads.put_all_back();
  EXPECT_EQ(uploads.in_flight(), 0U);
  EXPECT_EQ(sent(uploads, kNow), 2U);
  uploads.answered(id(1));
  uploads.put_back(id(1));
  EXPECT_EQ(uploads.next(kNow), id(1));
}

}  // namespace sync_uploads_test
}  // namespace graspd::app
