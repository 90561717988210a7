// Streams over real sockets. Rule numbers are those of net/exchange.h.
#include "net/exchange.h"

#include <gtest/gtest.h>
#include <thread>

#include "net/inflate_testing.h"
#include "net/loopback_peer_testing.h"
#include "net/stream_server_testing.h"

namespace graspd::net {
namespace exchange_test {

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::string chunk(std::string_view data) {
  return fmt::format("{:x}\r\n{}\r\n", data.size(), data);
}
constexpr std::string_view kLastChunk = "0\r\n\r\n";

std::string post(std::string_view path, std::string_view headers, std::string_view body = "") {
  return fmt::format("POST {} HTTP/1.1\r\nHost: x\r\n{}\r\n{}", path, headers, body);
}

constexpr std::string_view kChunked = "Transfer-Encoding: chunked\r\n";

std::string read_chunked_body(LoopbackPeer& peer) {
  std::string body;
  while (true) {
    const std::size_t size = std::stoul(peer.read_until("\r\n"), nullptr, 16);
    body += peer.read_exactly(size);
    peer.read_exactly(2);
    if (size == 0) return body;
  }
}

TEST(Exchange, EchoesAnUploadOfManyMegabytes) {  // R1
  StreamServer server;
  LoopbackPeer peer(server.port());
  const std::string piece = noise(100'000);
  std::thread sender([&] {
    peer.send(post("/echo", kChunked));
    for (int i = 0; i < 200; ++i) peer.send(chunk(piece));
    peer.send(kLastChunk);
  });
  const std::string head = peer.read_until("\r\n\r\n");
  const std::string body = read_chunked_body(peer);
  sender.join();
  EXPECT_TRUE(head.starts_with("HTTP/1.1 200 OK\r\n"));
  EXPECT_TRUE(has(head, "Transfer-Encoding: chunked\r\n"));
  EXPECT_TRUE(has(head, "X-Kind: echo\r\n"));
  EXPECT_TRUE(has(head, "Access-Control-Allow-Origin: *\r\n"));
  EXPECT_EQ(body.size(), 200 * piece.size());
  EXPECT_TRUE(body.ends_with(piece));
}

// More than the kernel buffers for a connection.
constexpr std::uint64_t kBufferedMax = 16 << 20;

TEST(Exchange, WritesNoFasterThanTheClientReads) {  // R1
  StreamServer server;
  LoopbackPeer peer(server.port(), 64 * 1024);
  peer.send("GET /flood HTTP/1.1\r\nHost: x\r\n\r\n");
  for (std::uint64_t read = 0; read < 4 * kBufferedMax; read += 1 << 20) {
    EXPECT_LT(server.handler.flooded, read + kBufferedMax);
    peer.read_exactly(1 << 20);
  }
}

TEST(Exchange, GivesUpAClientThatTakesNothing) {
  ServerOptions options;
  options.write_timeout = core::Duration{100};
  StreamServer server(options);
  LoopbackPeer peer(server.port(), 4096);
  peer.send("GET /flood HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(comes_true([&] { return server.handler.ended == 1; }));
  EXPECT_LT(server.handler.flooded, kBufferedMax);
}

TEST(Exchange, InflatesTheBody) {  // R2
  StreamServer server;
  LoopbackPeer peer(server.port());
  const std::string text = std::string(300'000, 'a') + noise(10'000);
  for (const auto& [encoding, body] :
       {std::pair{"gzip", gzip(text)}, {"x-gzip", gzip(text)}, {"deflate", zlib(text)}}) {
    const std::string header = fmt::format("Content-Encoding: {}\r\n", encoding);
    const std::string length = fmt::format("Content-Length: {}\r\n", body.size());
    peer.send(post("/count", header + length, body));
    EXPECT_TRUE(peer.read_response().ends_with("\r\n\r\n310000")) << encoding;
    peer.send(post("/count", header + std::string(kChunked), chunk(body)) +
              std::string(kLastChunk));
    EXPECT_TRUE(peer.read_response().ends_with("\r\n\r\n310000")) << encoding;
  }
}

TEST(Exchange, RefusesAnEncodingItDoesNotKnow) {  // R2
  StreamServer server;
  LoopbackPeer peer(server.port());
  peer.send(post("/count", "Content-Encoding: br\r\nContent-Length: 3\r\n", "abc"));
  const std::string response = peer.read_all();
  EXPECT_TRUE(response.starts_with("HTTP/1.1 415 "));
  EXPECT_TRUE(has(response, "Access-Control-Allow-Origin: *\r\n"));
  EXPECT_EQ(server.handler.started, 0);
}

TEST(Exchange, RefusesBombsAndBodiesThatAreTooBig) {
  StreamServer server({}, {.body_bytes_max = 8 << 20, .inflate_ratio_max = 100});
  const std::string dense = gzip(std::string(4 << 20, '\0'));
  const std::string big = gzip(noise(9 << 20));
  for (const std::string& body : {dense, big}) {
    LoopbackPeer peer(server.port());
    peer.send(post("/count",
                   fmt::format("Content-Encoding: gzip\r\nContent-Length: {}\r\n", body.size()),
                   body));
    const std::string response = peer.read_all();
    EXPECT_TRUE(response.ends_with("too big")) << response;
    EXPECT_TRUE(has(response, "Connection: close\r\n"));
  }
  LoopbackPeer liar(server.port());
  liar.send(post("/count", "Content-Length: 99999999999\r\n"));
  EXPECT_TRUE(liar.read_all().ends_with("too big"));
}

TEST(Exchange, NeverTakesATruncatedBodyForAWholeOne) {  // R3
  StreamServer server;
  const std::vector<std::string> requests = {post("/count", "Content-Length: 10\r\n", "abc"),
                                             post("/count", "Content-Length: 10\r\n"),
                                             post("/count", kChunked, "5\r\nab"),
                                             post("/count", kChunked, "5\r\nabcde\r\n"),
                                             post("/count", kChunked, "0\r\n"),
                                             post("/count", kChunked)};
  for (const std::string& request : requests) {
    server.handler.failure = std::nullopt;
    LoopbackPeer peer(server.port());
    peer.send(request);
    peer.finish_writing();
    const std::string response = peer.read_all();
    EXPECT_FALSE(has(response, "200 OK")) << request;
    EXPECT_TRUE(has(response, "Connection: close\r\n")) << request;
    EXPECT_EQ(server.handler.failure.load(), NetError::Closed) << request;
  }
}

TEST(Exchange, BelievesNothingBehindBrokenChunks) {  // R3
  StreamServer server;
  for (const char* body : {"x\r\n", "3\r\nabcd\r\n", "3\nabc", "-1\r\n"}) {
    LoopbackPeer peer(server.port());
    peer.send(post("/count", kChunked, body) + "GET /whole/smuggled HTTP/1.1\r\nHost: x\r\n\r\n");
    const std::string response = peer.read_all();
    EXPECT_TRUE(response.ends_with("protocol")) << response;
    EXPECT_FALSE(has(response, "smuggled")) << response;
  }
  LoopbackPeer both(server.port());
  both.send(post("/count", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", kLastChunk));
  EXPECT_TRUE(both.read_all().starts_with("HTTP/1.1 400 "));
}

TEST(Exchange, RefusesGzipThatIsCorruptOrCutShort) {  // R3
  StreamServer server;
  const std::string whole = gzip(noise(1'000));
  for (const std::string& body : {whole.substr(0, 500), whole + "x", std::string("hello")}) {
    LoopbackPeer peer(server.port());
    peer.send(post("/count",
                   fmt::format("Content-Encoding: gzip\r\nContent-Length: {}\r\n", body.size()),
                   body));
    const std::string response = peer.read_all();
    EXPECT_TRUE(response.ends_with("protocol")) << response;
  }
}

TEST(Exchange, TimesOutAClientThatStopsSending) {
  ServerOptions options;
  options.handshake_timeout = core::Duration{400};  // for the sweep to come often
  StreamServer server(options, {.body_bytes_max = 1'000, .idle_timeout = core::Duration{100}});
  LoopbackPeer peer(server.port());
  peer.send(post("/count", "Content-Length: 10\r\n", "abc"));
  const std::string answer = peer.read_all();
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 400 ")) << answer;
  EXPECT_TRUE(has(answer, "Connection: close\r\n")) << answer;
  EXPECT_TRUE(comes_true([&] { return server.handler.ended == 1; }));
  EXPECT_EQ(server.handler.failure.load(), NetError::TimedOut);
}

// Nobody can be so fast: whatever moves, moves too slowly.
constexpr MinimumRate kUnreachable{1ULL << 40, core::Duration{300}};

TEST(Exchange, TimesOutAClientThatTrickles) {
  ServerOptions options;
  options.handshake_timeout = core::Duration{400};
  StreamServer server(options, {.body_bytes_max = 1ULL << 40, .rate_min = kUnreachable});
  LoopbackPeer peer(server.port());
  peer.send(post("/count", kChunked));
  EXPECT_TRUE(comes_true([&] {
    peer.send(chunk("a"));
    return server.handler.failure.load().has_value();
  }));
  EXPECT_EQ(server.handler.failure.load(), NetError::TimedOut);
  const std::string answer = peer.read_until("\r\n\r\n");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 400 ")) << answer;
}

TEST(Exchange, GivesUpAClientThatReadsTooSlowly) {
  ServerOptions options;
  options.handshake_timeout = core::Duration{400};
  StreamServer server(options, {.rate_min = kUnreachable});
  LoopbackPeer peer(server.port(), 4096);
  peer.send("GET /flood HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(comes_true([&] { return server.handler.ended == 1; }));  // before write_timeout
}

TEST(Exchange, TellsAPatientClientToContinueWhenTheBodyIsWanted) {  // R4
  StreamServer server;
  LoopbackPeer peer(server.port());
  peer.send(post("/count", "Expect: 100-continue\r\nContent-Length: 3\r\n"));
  EXPECT_EQ(peer.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  peer.send("abc");
  EXPECT_TRUE(peer.read_response().ends_with("\r\n\r\n3"));
  peer.send(post("/refuse", "Expect: 100-continue\r\nContent-Length: 3\r\n"));
  const std::string refusal = peer.read_all();
  EXPECT_TRUE(refusal.starts_with("HTTP/1.1 403 "));
  EXPECT_TRUE(has(refusal, "Connection: close\r\n"));
}

TEST(Exchange, SendsNoBodyToHead) {
  StreamServer server;
  LoopbackPeer peer(server.port());
  peer.send(
      "HEAD /echo HTTP/1.1\r\nHost: x\r\n\r\nHEAD /refuse HTTP/1.1\r\nHost: x\r\n\r\nGET /refuse "
      "HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(has(peer.read_until("\r\n\r\n"), "X-Kind: echo\r\n"));
  EXPECT_TRUE(has(peer.read_until("\r\n\r\n"), "Content-Length: 7\r\n"));
  EXPECT_TRUE(peer.read_response().ends_with("\r\n\r\nnot you"));
}

TEST(Exchange, EndsByClosingForHttp10) {
  StreamServer server;
  LoopbackPeer peer(server.port());
  peer.send("POST /echo HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 5\r\n\r\nhello");
  const std::string response = peer.read_all();
  EXPECT_TRUE(has(response, "Connection: close\r\n"));
  EXPECT_FALSE(has(response, "Transfer-Encoding"));
  EXPECT_TRUE(response.ends_with("\r\n\r\nhello"));
}

TEST(Exchange, TakesTurnsWithOrdinaryRequestsOnOneConnection) {
  StreamServer server;
  LoopbackPeer peer(server.port());
  std::string requests;
  for (int i = 0; i < 50; ++i) {
    requests += post("/echo", kChunked, chunk("abc")) + std::string(kLastChunk);
    requests += post("/whole", "Content-Length: 2\r\n", "de");
    requests += post("/refuse", "Content-Length: 4\r\n", "left");
  }
  peer.send(requests);
  for (int i = 0; i < 50; ++i) {
    peer.read_until("\r\n\r\n");
    EXPECT_EQ(read_chunked_body(peer), "abc");
    EXPECT_TRUE(peer.read_response().ends_with("whole /whole|de"));
    EXPECT_TRUE(peer.read_response().ends_with("not you"));
  }
}

TEST(Exchange, DrainsASmallBodyNobodyReadAndGoesOn) {  // R5
  StreamServer server;
  LoopbackPeer peer(server.port());
  const std::string half(300'000, 'x');
  peer.send(post("/refuse", "Content-Length: 600000\r\n", half));
  EXPECT_TRUE(has(peer.read_response(), "Connection: keep-alive\r\n"));
  peer.send(half + "GET /whole HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(peer.read_response().ends_with("whole /whole|"));
}

TEST(Exchange, ShowsItsRefusalToAClientThatIsStillSending) {  // R5
  StreamServer server;
  for (const bool chunks : {false, true}) {
    LoopbackPeer peer(server.port());
    peer.send(post("/refuse", chunks ? kChunked : "Content-Length: 999999999\r\n"));
    const std::string piece = chunk(std::string(100'000, 'x'));
    for (int i = 0; i < 100; ++i) peer.send(piece);
    peer.finish_writing();
    EXPECT_TRUE(peer.read_all().ends_with("not you"));
  }
}

TEST(Exchange, NoticesThatTheClientHasGone) {
  StreamServer server;
  for (const char* path : {"/gone", "/race"}) {
    const int ended = server.handler.ended;
    std::optional<LoopbackPeer> peer(server.port());
    peer->send(fmt::format(
        "GET {} HTTP/1.1\r\nHost: x\r\n\r\nGET /whole HTTP/1.1\r\nHost: x\r\n\r\n", path));
    ASSERT_TRUE(comes_true([&] { return server.handler.started == ended + 1; }));
    EXPECT_EQ(server.handler.ended, ended);
    peer.reset();
    EXPECT_TRUE(comes_true([&] { return server.handler.ended == ended + 1; })) << path;
  }
}

TEST(Exchange, IsWatchedNoLongerThanItsAnswerTakes) {
  StreamServer server;
  LoopbackPeer peer(server.port());
  for (int i = 0; i < 3; ++i) {
    peer.send(post("/watched", "Content-Length: 3\r\n", "abc"));
    peer.read_until("\r\n\r\n");
    EXPECT_EQ(read_chunked_body(peer), "abc");
  }
}

TEST(Exchange, NoticesInWritingThatTheClientHasGone) {
  StreamServer server;
  {
    LoopbackPeer peer(server.port());
    peer.send("GET /flood HTTP/1.1\r\nHost: x\r\n\r\n");
    peer.read_exactly(1 << 20);
  }
  EXPECT_TRUE(comes_true([&] { return server.handler.ended == 1; }));
}

TEST(Exchange, AnswersForAHandlerThatDoesNot) {
  StreamServer server;
  LoopbackPeer peer(server.port());
  for (const char* path : {"/nothing", "/throw"}) {
    peer.send(fmt::format("GET {} HTTP/1.1\r\nHost: x\r\n\r\n", path));
    const std::string response = peer.read_response();
    EXPECT_TRUE(response.starts_with("HTTP/1.1 500 ")) << response;
    EXPECT_TRUE(has(response, "Access-Control-Allow-Origin: *\r\n"));
  }
}

TEST(Exchange, DoesNotLetHalfAnAnswerLookWhole) {
  StreamServer server;
  LoopbackPeer peer(server.port());
  peer.send("GET /half HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_FALSE(peer.read_all().ends_with(kLastChunk));
}

TEST(Exchange, IsFinishedBeforeTheServerStops) {
  StreamServer server;
  LoopbackPeer peer(server.port());
  peer.send(post("/count", "Content-Length: 6\r\n", "abc"));
  ASSERT_TRUE(comes_true([&] { return server.handler.read == 3; }));
  std::thread stopping([&] { server.server->stop(core::Duration{20'000}); });
  ASSERT_TRUE(comes_true([&] {
    try {
      LoopbackPeer late(server.port());
      return false;
    } catch (const std::runtime_error&) {
      return true;
    }
  }));
  peer.send("def");
  const std::string response = peer.read_all();
  EXPECT_TRUE(response.ends_with("\r\n\r\n6"));
  EXPECT_TRUE(has(response, "Connection: close\r\n"));
  peer.finish_writing();
  stopping.join();
}

TEST(Exchange, IsCancelledWhenItOutlastsTheDrain) {
  StreamServer server;
  std::vector<LoopbackPeer> peers;
  for (const char* path : {"/asleep", "/gone", "/race", "/flood", "/count"}) {
    peers.emplace_back(server.port());
    peers.back().send(
        post(path, path == std::string_view("/count") ? "Content-Length: 9\r\n" : ""));
  }
  ASSERT_TRUE(comes_true([&] { return server.handler.started == 5; }));
  const auto start = std::chrono::steady_clock::now();
  server.server->stop(core::Duration{50});
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(3));
  EXPECT_EQ(server.handler.ended, 5);
}

}  // namespace exchange_test
}  // namespace graspd::net
