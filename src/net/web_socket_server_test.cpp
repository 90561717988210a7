// Rule numbers are those of net/web_socket.h (W), net/server.h (S) and net/server_web_socket.h (B).
#include <boost/beast/zlib/deflate_stream.hpp>
#include <gtest/gtest.h>

#include "net/echo_server_testing.h"
#include "net/loopback_peer_testing.h"

namespace graspd::net {
namespace web_socket_server_test {

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

LoopbackPeer upgraded(const EchoServer& server) {
  LoopbackPeer peer(server.port());
  peer.upgrade();
  return peer;
}

TEST(WebSocketServer, EchoesMessagesOfEverySize) {
  EchoServer server;
  LoopbackPeer peer = upgraded(server);
  for (const std::size_t size : {0, 1, 125, 126, 1535, 1536, 1537, 65535, 65536, 2'000'000})
    EXPECT_EQ(peer.echo(std::string(size, 'a')), std::string(size, 'a')) << size;
}

TEST(WebSocketServer, AnswersTheHandshakeAsTheStandardSays) {
  EchoServer server;
  LoopbackPeer peer(server.port());
  const std::string response = peer.upgrade("Sec-WebSocket-Protocol: chat\r\n");
  EXPECT_TRUE(response.starts_with("HTTP/1.1 101 "));
  EXPECT_TRUE(has(response, "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"));
  EXPECT_TRUE(has(response, "Server: graspd\r\n"));
  EXPECT_FALSE(has(response, "Sec-WebSocket-Protocol"));
  EXPECT_EQ(server.server->connections(), 1u);
}

TEST(WebSocketServer, TakesFramesThatComeWithTheHandshake) {
  EchoServer server;
  LoopbackPeer peer(server.port());
  peer.send(
      "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nConnection: keep-alive\r\n"
      "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n" +
      wire({kText, "early"}));
  EXPECT_TRUE(peer.read_until("\r\n\r\n").starts_with("HTTP/1.1 101 "));
  EXPECT_EQ(peer.read_frame().payload, "early");
}

TEST(WebSocketServer, RefusesABadHandshake) {  // S3
  EchoServer server;
  const std::string start =
      "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n";
  for (const std::string headers :
       {"Sec-WebSocket-Version: 13\r\n\r\n",
        "Sec-WebSocket-Version: 12\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"}) {
    LoopbackPeer peer(server.port());
    peer.send(start + headers);
    const std::string response = peer.read_response();
    EXPECT_TRUE(response.starts_with("HTTP/1.1 400 "));
    EXPECT_TRUE(has(response, "Sec-WebSocket-Version: 13\r\n"));
  }
}

TEST(WebSocketServer, LetsTheHandlerRefuse) {  // S4
  EchoServer server;
  LoopbackPeer peer(server.port());
  peer.send("GET /banned HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
  EXPECT_TRUE(peer.read_response().starts_with("HTTP/1.1 403 "));
}

TEST(WebSocketServer, RefusesOneConnectionTooMany) {
  ServerOptions options;
  options.connections_max = 1;
  EchoServer server(options);
  LoopbackPeer first = upgraded(server);
  LoopbackPeer second(server.port());
  const std::string response = second.upgrade();
  EXPECT_TRUE(response.starts_with("HTTP/1.1 503 "));
  EXPECT_TRUE(has(response, "Retry-After: "));
  EXPECT_EQ(first.echo("still here"), "still here");
}

TEST(WebSocketServer, KeepsManySmallMessagesWholeAndInOrder) {  // W2
  EchoServer server;
  LoopbackPeer peer = upgraded(server);
  std::string frames;
  for (int i = 0; i < 5000; ++i) frames += wire({kText, "n" + std::to_string(i)});
  const ServerMeters before = server.server->meters();
  peer.send(frames);
  for (int i = 0; i < 5000; ++i) ASSERT_EQ(peer.read_frame().payload, "n" + std::to_string(i));
  const ServerMeters after = server.server->meters();
  EXPECT_LT(after.receives - before.receives, 100u);
  EXPECT_LT(after.flushes - before.flushes, 1000u);
}

TEST(WebSocketServer, SendsWhatIsWrittenInOneTurnWithFewSystemCalls) {  // W2
  EchoServer server;
  LoopbackPeer peer = upgraded(server);
  const std::uint64_t before = server.server->meters().flushes;
  peer.send(Frame{kText, "burst"});
  for (int i = 0; i < 1000; ++i)
    ASSERT_EQ(peer.read_frame().payload, "message " + std::to_string(i));
  EXPECT_LE(server.server->meters().flushes - before, 3u);
}

TEST(WebSocketServer, PutsFragmentsTogetherAndAnswersPingsBetweenThem) {
  EchoServer server;
  LoopbackPeer peer = upgraded(server);
  peer.send(wire({kText, "one ", false}) + wire({kPing, "are you there"}) +
            wire({kContinue, "two ", false}) + wire({kContinue, "three"}));
  const Frame pong = peer.read_frame();
  EXPECT_EQ(pong.opcode, kPong);
  EXPECT_EQ(pong.payload, "are you there");
  EXPECT_EQ(peer.read_frame().payload, "one two three");
}

std::uint16_t code_answered_to(const Frame& frame) {
  ServerOptions options;
  options.message_bytes_max = 1000;
  EchoServer server(options);
  LoopbackPeer peer = upgraded(server);
  peer.send(frame);
  const std::uint16_t code = peer.read_frame().close_code();
  EXPECT_EQ(peer.read_all(), "");
  return code;
}

TEST(WebSocketServer, ClosesOnWhatIsAgainstTheRules) {
  EXPECT_EQ(code_answered_to({kText, "unmasked", true, false, false}), 1002);
  EXPECT_EQ(code_answered_to({kText, "not negotiated", true, true}), 1002);
  EXPECT_EQ(code_answered_to({kContinue, "of nothing"}), 1002);
  EXPECT_EQ(code_answered_to({kText, "\xC3("}), 1007);
  EXPECT_EQ(code_answered_to({kText, std::string(1001, 'a')}), 1009);
  EXPECT_EQ(code_answered_to({kClose, std::string("\x03\xE8", 2)}), 1000);
}

TEST(WebSocketServer, TellsTheHandlerHowItEnded) {
  ServerOptions options;
  options.message_bytes_max = 1000;
  EchoServer server(options);
  const auto end_after = [&](const Frame& frame) {
    LoopbackPeer peer = upgraded(server);
    peer.send(frame);
    return server.handler.wait_for_end();
  };
  EXPECT_EQ(end_after({kText, std::string(1001, 'a')}), NetError::TooBig);
  EXPECT_EQ(end_after({kText, "", true, false, false}), NetError::Protocol);
  EXPECT_EQ(end_after({kClose, ""}), NetError::Closed);
  upgraded(server).finish_writing();
  EXPECT_EQ(server.handler.wait_for_end(), NetError::Closed);
}

TEST(WebSocketServer, SaysGoodbyeAfterWhatWasWritten) {
  EchoServer server;
  LoopbackPeer peer = upgraded(server);
  peer.send(wire({kText, "burst"}) + wire({kText, "close"}) + wire({kText, "not read"}));
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(peer.read_frame().opcode, kText);
  const Frame goodbye = peer.read_frame();
  EXPECT_EQ(goodbye.close_code(), 1008);
  EXPECT_EQ(goodbye.payload.substr(2), "as told");
  EXPECT_EQ(peer.read_all(), "");
  EXPECT_EQ(server.handler.wait_for_end(), NetError::Closed);
}

TEST(WebSocketServer, SurvivesAHandlerThatThrows) {
  EchoServer server;
  LoopbackPeer other = upgraded(server), peer = upgraded(server);
  peer.send(Frame{kText, "throw"});
  EXPECT_EQ(peer.read_frame().close_code(), 1011);
  EXPECT_EQ(other.echo("alive"), "alive");
}

TEST(WebSocketServer, WaitsUntilASlowPeerHasTakenWhatWasWritten) {  // W3
  EchoServer server;
  LoopbackPeer peer = upgraded(server);
  peer.send(wire({kText, "drain"}) + wire({kText, "after"}));
  EXPECT_EQ(peer.read_frame().payload.size(), 16u * 1024 * 1024);
  EXPECT_EQ(peer.read_frame().payload, "after");
  EXPECT_EQ(server.handler.drained(), true);
}

// One deflated message as it goes on the wire (RFC 7692 §7.2.1).
std::string deflated(std::string_view text) {
  namespace zlib = boost::beast::zlib;
  zlib::deflate_stream stream;
  stream.reset(9, 9, 8, zlib::Strategy::normal);
  std::string out(stream.upper_bound(text.size()) + 16, '\0');
  zlib::z_params params;
  params.next_in = text.data();
  params.avail_in = text.size();
  params.next_out = out.data();
  params.avail_out = out.size();
  boost::beast::error_code error;
  stream.write(params, zlib::Flush::sync, error);
  out.resize(params.total_out - 4);
  return out;
}

constexpr std::string_view kOffer =
    "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n";

TEST(WebSocketServer, CompressesWhenOfferedAndAllowed) {
  EchoServer server;
  LoopbackPeer peer(server.port());
  EXPECT_TRUE(has(peer.upgrade(kOffer), "Sec-WebSocket-Extensions: permessage-deflate"));
  peer.send(Frame{kText, deflated(std::string(10'000, 'a')), true, true});
  const Frame answer = peer.read_frame();
  EXPECT_TRUE(answer.compressed);
  EXPECT_LT(answer.payload.size(), 200u);
  EXPECT_FALSE(has(LoopbackPeer(server.port()).upgrade(), "Extensions"));

  ServerOptions options;
  options.compression = false;
  EchoServer plain(options);
  EXPECT_FALSE(has(LoopbackPeer(plain.port()).upgrade(kOffer), "Extensions"));
}

TEST(WebSocketServer, CutsOffABombWhileItInflates) {  // B1
  EchoServer server;
  LoopbackPeer peer(server.port());
  peer.upgrade(kOffer);
  const std::string bomb = deflated(std::string(6 * 1024 * 1024, 'a'));
  ASSERT_LT(bomb.size(), 100'000u);
  peer.send(Frame{kText, bomb, true, true});
  EXPECT_EQ(peer.read_frame().close_code(), 1009);
  EXPECT_EQ(server.handler.wait_for_end(), NetError::TooBig);
}

TEST(WebSocketServer, RefusesBrokenCompression) {
  EchoServer server;
  LoopbackPeer peer(server.port());
  peer.upgrade(kOffer);
  peer.send(Frame{kText, std::string(50, '\xFF'), true, true});
  EXPECT_EQ(peer.read_frame().close_code(), 1007);
  EXPECT_EQ(server.handler.wait_for_end(), NetError::Protocol);
}

}  // namespace web_socket_server_test
}  // namespace graspd::net
