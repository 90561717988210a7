#include "net/server_web_socket.h"

#include <gtest/gtest.h>

#include "net/clock.h"
#include "net/loopback_peer_testing.h"
#include "net/stream_pair_testing.h"

namespace graspd::net {
namespace server_web_socket_test {

struct Opened : StreamPair {
  Opened() {
    http::Request request;
    request.headers.add("Host", "x");
    request.headers.add("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==");
    socket = accept_web_socket(*stream, request, {}, {5 * 1024 * 1024, false});
    spawn(read_all(socket));
    context.poll();
    peer_receives();
  }
  ~Opened() {
    stream->abort();
    context.restart();
    context.poll();
    socket->detach();
  }
  static Task<void> read_all(std::shared_ptr<ServerWebSocket> socket) {
    while (true) {
      const auto message = co_await socket->read();
      if (!message) co_return;
    }
  }
  void hears(const Frame& frame) {
    const std::string bytes = wire(frame);
    ASSERT_EQ(peer_sends(bytes), bytes.size());
    context.poll();
  }

  std::shared_ptr<ServerWebSocket> socket;
};

TEST(ServerWebSocket, KeepsLittleForAPeerThatHasEndedTheConversation) {  // R4
  Opened much;
  much.socket->write(std::string(2 * 1024 * 1024, 'x'));
  much.hears({kClose, ""});
  EXPECT_FALSE(much.stream->open());
  EXPECT_EQ(much.socket->unsent(), 0u);

  Opened little;
  little.socket->write("goodbye");
  little.hears({kClose, ""});
  EXPECT_TRUE(little.stream->open());
  EXPECT_TRUE(little.stream->finished_writing());
  EXPECT_GT(little.peer_receives(), 7u);
}

TEST(ServerWebSocket, KnowsAMessageThatHasNotComeWhole) {
  Opened opened;
  opened.hears({kText, "whole"});
  const auto later = [](int seconds) { return now().instant + std::chrono::seconds(seconds); };
  const auto is_overdue = [&](int seconds) {
    return opened.socket->has_overdue_message(later(seconds), std::chrono::seconds(60));
  };
  EXPECT_FALSE(is_overdue(61));
  opened.hears({kText, std::string(20'000, 'a'), false});
  EXPECT_FALSE(is_overdue(30));
  EXPECT_TRUE(is_overdue(61));
  EXPECT_GE(opened.socket->held_bytes(), 20'000u);
  opened.hears({kPing, ""});
  opened.hears({kContinue, "more", false});
  EXPECT_TRUE(is_overdue(61)) << "what trickles in does not put it off";
  opened.hears({kContinue, "end"});
  EXPECT_FALSE(is_overdue(61));
  opened.hears({kText, "again", false});
  EXPECT_TRUE(is_overdue(61));
}

TEST(ServerWebSocket, IsNotReadWhileItsPongsAreNotRead) {
  Opened opened;
  std::string pings;
  for (int i = 0; i < 500; ++i) pings += wire({kPing, std::string(125, 'p')});
  std::size_t sent = 0;
  std::size_t stalls = 0;
  std::string unsent;
  while (sent < 4 * BatchedStream::kUnreadBytesMax && stalls < 3) {
    if (unsent.empty()) unsent = pings;
    const std::size_t size = opened.peer_sends(unsent);
    unsent.erase(0, size);
    sent += size;
    stalls = size == 0 ? stalls + 1 : 0;
    opened.context.poll();
  }
  EXPECT_EQ(stalls, 3u) << "all of it was read";
  EXPECT_LE(opened.socket->unsent(), BatchedStream::kUnreadBytesMax + 64 * 1024);
}

}  // namespace server_web_socket_test
}  // namespace graspd::net
