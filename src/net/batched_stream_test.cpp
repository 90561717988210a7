#include "net/batched_stream.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

#include "net/stream_pair_testing.h"

namespace asio = boost::asio;

namespace graspd::net {
namespace batched_stream_test {

const std::string kBytes(64 * 1024, 'p');

// Answers every byte by itself, as the WebSocket layer does with pings.
Task<void> echo(BatchedStream* stream) {
  std::array<char, 8 * 1024> bytes;
  while (true) {
    const auto [error, size] =
        co_await stream->async_read_some(asio::buffer(bytes), asio::as_tuple(asio::use_awaitable));
    if (error) co_return;
    stream->append({bytes.data(), size});
  }
}

TEST(BatchedStream, ReadsNoFurtherWhileItsAnswersAreNotRead) {  // R8
  constexpr std::size_t kMuch = 4 * BatchedStream::kUnreadBytesMax;
  StreamPair pair;
  pair.spawn(echo(pair.stream.get()));
  std::size_t sent = 0;
  std::size_t stalls = 0;
  while (sent < kMuch && stalls < 3) {
    const std::size_t size = pair.peer_sends(kBytes);
    sent += size;
    stalls = size == 0 ? stalls + 1 : 0;
    pair.context.poll();
  }
  EXPECT_EQ(stalls, 3u) << "all of it was read";
  EXPECT_GT(pair.stream->unsent(), BatchedStream::kUnreadBytesMax);
  EXPECT_LE(pair.stream->unsent(), BatchedStream::kUnreadBytesMax + 8 * 1024);

  std::size_t received = 0;
  while (sent < kMuch || received < sent) {
    if (sent < kMuch) sent += pair.peer_sends(kBytes);
    pair.context.poll();
    received += pair.peer_receives();
  }
  EXPECT_EQ(received, sent);
}

TEST(BatchedStream, EndsAReadThatWaitsForItsAnswersToBeRead) {  // R5, R8
  for (const bool aborts : {true, false}) {
    StreamPair pair;
    pair.stream->append(std::string(2 * BatchedStream::kUnreadBytesMax, 'x'));
    pair.spawn(echo(pair.stream.get()));
    pair.peer_sends(kBytes);
    pair.context.poll();
    EXPECT_EQ(pair.group.size(), 1u);
    aborts ? pair.stream->abort() : pair.stream->end_reading();
    pair.context.poll();
    EXPECT_EQ(pair.group.size(), 0u);
  }
}

}  // namespace batched_stream_test
}  // namespace graspd::net
