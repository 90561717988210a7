// Rule numbers are those of net/server.h.
#include <gtest/gtest.h>

#include "net/echo_server_testing.h"
#include "net/loopback_peer_testing.h"

namespace graspd::net {
namespace http_server_test {

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(HttpServer, AnswersRequestAfterRequestOnOneConnection) {
  EchoServer server;
  LoopbackPeer peer(server.port());
  for (int i = 0; i < 3; ++i) {
    peer.send("GET /" + std::to_string(i) + " HTTP/1.1\r\nHost: x\r\n\r\n");
    const std::string response = peer.read_response();
    EXPECT_TRUE(response.starts_with("HTTP/1.1 200 OK\r\n"));
    EXPECT_TRUE(has(response, "Server: graspd\r\n"));
    EXPECT_TRUE(has(response, "Date: "));
    EXPECT_TRUE(has(response, "Connection: keep-alive\r\n"));
    EXPECT_TRUE(response.ends_with("\r\n\r\n/" + std::to_string(i) + "|"));
  }
}

TEST(HttpServer, AnswersPipelinedRequestsInOrder) {
  EchoServer server;
  LoopbackPeer peer(server.port());
  std::string requests;
  for (int i = 0; i < 200; ++i)
    requests +=
        "POST /" + std::to_string(i) + " HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab";
  peer.send(requests);
  for (int i = 0; i < 200; ++i)
    EXPECT_TRUE(peer.read_response().ends_with("\r\n\r\n/" + std::to_string(i) + "|ab"));
}

TEST(HttpServer, GivesHeadersOnlyToHead) {
  EchoServer server;
  LoopbackPeer peer(server.port());
  peer.send("HEAD /abc HTTP/1.1\r\nHost: x\r\n\r\nGET /next HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(has(peer.read_until("\r\n\r\n"), "Content-Length: 5\r\n"));
  EXPECT_TRUE(peer.read_response().ends_with("/next|"));
}

TEST(HttpServer, ClosesWhenAskedTo) {
  EchoServer server;
  LoopbackPeer peer(server.port()), old(server.port());
  peer.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(has(peer.read_all(), "Connection: close\r\n"));
  old.send("GET / HTTP/1.0\r\n\r\n");
  EXPECT_TRUE(has(old.read_all(), "Connection: close\r\n"));
}

TEST(HttpServer, AnswersAPeerThatHasFinishedWriting) {
  EchoServer server;
  LoopbackPeer peer(server.port());
  peer.send("GET /half HTTP/1.1\r\nHost: x\r\n\r\n");
  peer.finish_writing();
  EXPECT_TRUE(peer.read_all().ends_with("/half|"));
}

TEST(HttpServer, TellsAPatientPeerToContinue) {
  EchoServer server;
  LoopbackPeer peer(server.port());
  peer.send("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
  EXPECT_EQ(peer.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  peer.send("abc");
  EXPECT_TRUE(peer.read_response().ends_with("/|abc"));
}

TEST(HttpServer, DecoratesEveryResponse) {  // R5
  EchoServer server;
  for (const char* request :
       {"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "OPTIONS / HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /missing HTTP/1.1\r\nHost: x\r\n\r\n", "garbage\r\n\r\n"}) {
    LoopbackPeer peer(server.port());
    peer.send(request);
    EXPECT_TRUE(has(peer.read_response(), "Access-Control-Allow-Origin: *\r\n")) << request;
  }
  LoopbackPeer peer(server.port());
  EXPECT_TRUE(has(peer.upgrade(), "Access-Control-Allow-Origin: *\r\n"));
}

TEST(HttpServer, RefusesWhatIsTooBigOrGarbageAndCloses) {
  EchoServer server;
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"garbage\r\n\r\n", "400"},
      {"GET / HTTP/1.1\r\nHost: x\r\nA: " + std::string(20'000, 'a') + "\r\n\r\n", "431"},
      {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 70000\r\n\r\n" + std::string(70'000, 'a'),
       "413"}};
  for (const auto& [request, status] : cases) {
    LoopbackPeer peer(server.port());
    peer.send(request);
    const std::string response = peer.read_all();
    EXPECT_TRUE(response.starts_with("HTTP/1.1 " + status)) << response;
    EXPECT_TRUE(has(response, "Connection: close\r\n"));
  }
}

TEST(HttpServer, ClosesAConnectionThatNeverFinishesItsHeader) {  // R2
  ServerOptions options;
  options.handshake_timeout = core::Duration{50};
  EchoServer server(options);
  LoopbackPeer slow(server.port()), silent(server.port());
  slow.send("GET / HTTP/1.1\r\nHo");
  EXPECT_EQ(slow.read_all(), "");
  EXPECT_EQ(silent.read_all(), "");
}

TEST(HttpServer, ClosesAConnectionThatAsksNothingMore) {
  ServerOptions options;
  options.keep_alive_timeout = core::Duration{50};
  EchoServer server(options);
  LoopbackPeer peer(server.port());
  peer.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(peer.read_all().ends_with("/|"));
}

}  // namespace http_server_test
}  // namespace graspd::net
