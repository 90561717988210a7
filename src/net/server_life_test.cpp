// Timeouts, threads, exhaustion, stopping. Rule numbers are those of net/server.h.
#include <chrono>
#include <future>
#include <gtest/gtest.h>
#include <set>
#include <sys/resource.h>
#include <thread>

#include "net/echo_server_testing.h"
#include "net/loopback_peer_testing.h"
#include "net/stream_server_testing.h"

namespace graspd::net {
namespace server_life_test {

using std::chrono::steady_clock;

TEST(ServerLife, PingsASilentPeerAndClosesADeadOne) {
  ServerOptions options;
  options.ping_interval = core::Duration{40};
  options.idle_timeout = core::Duration{400};
  EchoServer server(options);
  LoopbackPeer peer(server.port());
  peer.upgrade();
  for (int i = 0; i < 15; ++i) {  // longer than idle_timeout, were the pongs not heard
    EXPECT_EQ(peer.read_frame().opcode, kPing);
    peer.send(Frame{kPong, ""});
  }
  EXPECT_EQ(server.server->connections(), 1u);
  EXPECT_NE(peer.read_all(), "");  // pings, and then the end
  EXPECT_EQ(server.handler.wait_for_end(), NetError::TimedOut);
}

TEST(ServerLife, GivesUpAPeerThatTakesNothing) {
  ServerOptions options;
  options.write_timeout = core::Duration{100};
  EchoServer server(options);
  LoopbackPeer peer(server.port(), 4096);
  peer.upgrade();
  peer.send(Frame{kText, "drain"});
  EXPECT_EQ(server.handler.wait_for_end(), NetError::TimedOut);
  EXPECT_EQ(server.handler.drained(), false);
}

TEST(ServerLife, WaitsForAMessageToEndButNotForEver) {  // R8
  ServerOptions options;
  options.message_timeout = core::Duration{100};
  EchoServer server(options);
  LoopbackPeer peer(server.port());
  peer.upgrade();
  peer.send(Frame{kText, "begun", false});
  peer.send(Frame{kPing, ""});
  EXPECT_EQ(server.handler.wait_for_end(), NetError::TooSlow);
}

TEST(ServerLife, DoesNotWaitLongForLastWordsToBeRead) {
  ServerOptions options;
  options.last_words_timeout = core::Duration{100};
  options.write_timeout = core::Duration{3'600'000};
  EchoServer server(options);
  LoopbackPeer peer(server.port(), 4096);
  peer.upgrade();
  for (int i = 0; i < 3; ++i) peer.send(Frame{kText, std::string(1'200'000, 'x')});
  peer.send(Frame{kText, "close"});
  EXPECT_EQ(server.handler.wait_for_end(), NetError::Closed);
  EXPECT_TRUE(comes_true([&] { return server.handler.last_served.load().expired(); }));
}

TEST(ServerLife, CountsPlainConnectionsUntilTheyEndOrBecomeWebSockets) {  // R9
  EchoServer server;
  server.handler.plain_max = 2;
  std::optional<LoopbackPeer> first(std::in_place, server.port());
  LoopbackPeer second(server.port()), third(server.port());
  EXPECT_TRUE(third.read_response().starts_with("HTTP/1.1 503 "));
  EXPECT_TRUE(second.upgrade().starts_with("HTTP/1.1 101 "));
  first.reset();
  EXPECT_TRUE(comes_true([&] { return server.handler.plain_connections == 0; }));
  EXPECT_EQ(second.echo("still here"), "still here");
}

TEST(ServerLife, DoesNotTakeAFreshConnectionForAStuckOne) {
  ServerOptions options;
  options.handshake_timeout = core::Duration{40};  // sweeps every 10 ms, in the middle of many
  EchoServer server(options);
  for (int i = 0; i < 1'000; ++i) {
    LoopbackPeer peer(server.port());
    ASSERT_EQ(peer.upgrade().substr(0, 12), "HTTP/1.1 101");
  }
}

TEST(ServerLife, LetsClientsWaitUntilItIsStarted) {
  EchoHandler handler;
  auto server = listen({"127.0.0.1", 0, std::nullopt}, {});
  ASSERT_TRUE(server);
  LoopbackPeer early((*server)->port());
  (*server)->start(handler);
  EXPECT_EQ(early.upgrade().substr(0, 12), "HTTP/1.1 101");
}

TEST(ServerLife, DealsConnectionsOutToItsThreads) {
  ServerOptions options;
  options.network_threads = 3;
  EchoServer server(options);
  EXPECT_EQ(server.server->threads(), 3u);
  std::vector<LoopbackPeer> peers;
  for (int i = 0; i < 9; ++i) {
    peers.emplace_back(server.port()).upgrade();
    EXPECT_EQ(peers.back().echo("hello"), "hello");
  }
  EXPECT_EQ(server.server->connections(), 9u);
}

TEST(ServerLife, RunsPostedWorkOnTheThreadNamed) {
  ServerOptions options;
  options.network_threads = 2;
  EchoServer server(options);
  std::set<std::thread::id> ids = {std::this_thread::get_id()};
  for (const std::size_t thread : {0, 1}) {
    std::promise<std::thread::id> id;
    server.server->post(thread, [&] { id.set_value(std::this_thread::get_id()); });
    ids.insert(id.get_future().get());
  }
  EXPECT_EQ(ids.size(), 3u);
}

// Leaves no file descriptor free while it lives.
class Exhaustion {
 public:
  Exhaustion() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    core::FileDescriptor next(::dup(0));
    const rlimit low{static_cast<rlim_t>(next.get()), before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &low);
  }
  ~Exhaustion() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_;
};

TEST(ServerLife, GoesOnAfterItRanOutOfFiles) {  // R1
  EchoServer server;
  LoopbackPeer before(server.port());
  before.upgrade();
  EXPECT_EQ(before.echo("served"), "served");
  std::optional<LoopbackPeer> waiting;
  {
    core::FileDescriptor spare(::dup(0));
    Exhaustion exhaustion;
    spare = core::FileDescriptor();
    waiting.emplace(server.port());  // takes the last one
    while (server.server->meters().failed_accepts == 0) std::this_thread::yield();
    EXPECT_EQ(before.echo("still served"), "still served");
  }
  waiting->upgrade();
  EXPECT_EQ(waiting->echo("at last"), "at last");
}

TEST(ServerLife, SaysGoingAwayAndEndsWhenPeersHaveAnswered) {  // R6
  ServerOptions options;
  options.network_threads = 2;
  EchoServer server(options);
  std::vector<LoopbackPeer> peers;
  for (int i = 0; i < 4; ++i) peers.emplace_back(server.port()).upgrade();
  LoopbackPeer idle(server.port());
  auto stopped =
      std::async(std::launch::async, [&] { server.server->stop(core::Duration{20'000}); });
  for (auto& peer : peers) {
    EXPECT_EQ(peer.read_frame().close_code(), 1001);
    peer.send(Frame{kClose, std::string("\x03\xE9", 2)});
    peer.finish_writing();
  }
  EXPECT_EQ(idle.read_all(), "");
  idle.finish_writing();
  stopped.get();
  EXPECT_EQ(server.server->connections(), 0u);
  EXPECT_THROW(LoopbackPeer(server.port()), std::runtime_error);
}

TEST(ServerLife, FinishesARequestUnderWayBeforeItStops) {  // R6
  EchoServer server;
  LoopbackPeer peer(server.port());
  peer.send("POST /last HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n");
  peer.read_until("\r\n\r\n");
  auto stopped =
      std::async(std::launch::async, [&] { server.server->stop(core::Duration{20'000}); });
  while (true) {  // until the server has stopped listening
    try {
      LoopbackPeer late(server.port());
    } catch (const std::runtime_error&) {
      break;
    }
  }
  peer.send("done");
  const std::string response = peer.read_all();
  EXPECT_TRUE(response.ends_with("/last|done")) << response;
  EXPECT_NE(response.find("Connection: close"), std::string::npos);
  peer.finish_writing();
  stopped.get();
}

TEST(ServerLife, StopsInTimeWhateverThePeersDo) {  // R6
  EchoServer server;
  LoopbackPeer deaf(server.port());
  deaf.upgrade();
  deaf.send(Frame{kText, "drain"});
  LoopbackPeer half(server.port());
  half.send("GET /");
  const auto start = steady_clock::now();
  server.server->stop(core::Duration{100});
  EXPECT_LT(steady_clock::now() - start, std::chrono::seconds(5));
  EXPECT_EQ(server.server->connections(), 0u);
}

}  // namespace server_life_test
}  // namespace graspd::net
