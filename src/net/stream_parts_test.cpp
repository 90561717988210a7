#include "net/stream_parts.h"

#include <array>
#include <boost/asio/error.hpp>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

namespace graspd::net::stream_parts_test {

TEST(SendQueue, KeepsWhatIsNotSentYet) {
  SendQueue queue;
  queue.append("0123456789");
  EXPECT_EQ(queue.sent(3), "");
  EXPECT_EQ(queue.rest(), "3456789");
  queue.append("ab");
  EXPECT_EQ(queue.sent(6), "");
  EXPECT_EQ(queue.rest(), "9ab");
  EXPECT_EQ(queue.size(), 3U);
}

TEST(SendQueue, GivesItsMemoryAwayWhenEverythingIsSent) {
  SendQueue queue;
  queue.begin_with(std::string(1'000, 'x'));
  EXPECT_GE(queue.sent(1'000).capacity(), 1'000U);
  EXPECT_TRUE(queue.empty());
}

TEST(HeldBytes, AreFreedOnceTheyAreRead) {
  HeldBytes held;
  held.append("abcdef");
  held.consume(2);
  held.append("gh");
  EXPECT_EQ(held.view(), "cdefgh");
  held.consume(6);
  EXPECT_TRUE(held.empty());
}

TEST(StreamCalls, TellABrokenConnectionFromOneThatWaits) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()), 0);
  std::array<char, 16> into{};
  boost::system::error_code error;
  EXPECT_EQ(receive_now(ends[0], into, error), 0U);
  EXPECT_EQ(error, boost::asio::error::would_block);
  EXPECT_EQ(send_now(ends[1], "hello"), 5U);
  error = {};
  EXPECT_EQ(receive_now(ends[0], into, error), 5U);
  EXPECT_FALSE(error);
  while (send_now(ends[1], std::string(100'000, 'x')) > 0U) {
  }
  EXPECT_EQ(send_now(ends[1], "x"), 0U);
  ::close(ends[0]);
  EXPECT_EQ(send_now(ends[1], "x"), std::nullopt);
  ::close(ends[1]);
}

}  // namespace graspd::net::stream_parts_test
