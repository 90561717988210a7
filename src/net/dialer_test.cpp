// Rule numbers are those of net/dialer.h (D), net/web_socket.h (W), net/web_socket_client.h (C).
#include "net/dialer.h"

#include <atomic>
#include <future>
#include <gtest/gtest.h>
#include <thread>

#include "net/dialer_testing.h"
#include "net/echo_server_testing.h"

namespace graspd::net {
namespace dialer_test {

using core::IpAddress;

// Dials and lets go. Why it failed, or nullopt.
Task<std::optional<DialError>> dial_only(std::shared_ptr<Dialer> dialer, DialTarget target,
                                         DialOptions options) {
  const auto opened = co_await dialer->dial(target, options);
  co_return opened ? std::optional<DialError>() : opened.error();
}

std::optional<DialError> dialed(const DialTarget& target,
                                const DialOptions& options = private_allowed(),
                                DialerOptions dialer = {}) {
  return finished(dial_only(make_dialer(std::move(dialer)), target, options));
}

std::optional<DialFailure> failure_of(const std::optional<DialError>& error) {
  return error ? std::optional(error->kind) : std::nullopt;
}

// Dials, says each of these, and returns what was echoed; how it ended if that was too early.
struct Talk {
  std::vector<std::string> heard;
  std::optional<NetError> ended;
  std::optional<DialError> failed;
};

Task<Talk> talk(DialTarget target, DialOptions options, std::vector<std::string> words,
                std::size_t answers) {
  Talk result;
  const auto dialer = make_dialer({});
  const auto socket = co_await dialer->dial(target, options);
  if (!socket) {
    result.failed = socket.error();
    co_return result;
  }
  for (const std::string& word : words) (*socket)->write(word);
  while (result.heard.size() < answers) {
    const auto message = co_await (*socket)->read();
    if (!message) {
      result.ended = message.error();
      co_return result;
    }
    result.heard.emplace_back(message->text);
  }
  (*socket)->close(CloseCode::Normal, "enough");
  const auto after = co_await (*socket)->read();
  result.ended = after ? std::optional<NetError>() : after.error();
  co_return result;
}

TEST(Dialer, ExchangesMessagesOfEverySize) {
  EchoServer server;
  std::vector<std::string> words;
  for (const std::size_t size : {0, 1, 125, 126, 1535, 1536, 1537, 65535, 65536, 2'000'000})
    words.emplace_back(size, 'a');
  const Talk said =
      finished(talk(on_this_machine(server.port()), private_allowed(), words, words.size()));
  EXPECT_EQ(said.heard, words);
  EXPECT_EQ(said.ended, NetError::Closed);
  EXPECT_EQ(server.handler.wait_for_end(), NetError::Closed);
}

TEST(Dialer, SendsWhatWasWrittenBeforeItSaysGoodbye) {  // D7
  EchoServer server;
  const Talk said =
      finished(talk(on_this_machine(server.port()), private_allowed(), {"burst"}, 1000));
  ASSERT_EQ(said.heard.size(), 1000U);
  EXPECT_EQ(said.heard.back(), "message 999");
}

TEST(Dialer, CompressesUnlessToldNotTo) {
  EchoServer server;
  DialOptions options = private_allowed();
  const std::string word(100'000, 'a');
  const auto bytes_for_a_talk = [&] {
    const auto before = server.server->meters();
    EXPECT_EQ(finished(talk(on_this_machine(server.port()), options, {word}, 1)).heard.size(), 1U);
    const auto after = server.server->meters();
    return std::pair(after.bytes_in - before.bytes_in, after.bytes_out - before.bytes_out);
  };
  const auto [in, out] = bytes_for_a_talk();
  EXPECT_LT(in, 10'000U);
  EXPECT_LT(out, 10'000U);
  options.compression = false;
  EXPECT_GT(bytes_for_a_talk().first, 100'000U);
}

TEST(Dialer, LetsGoWhenItsSocketIsDropped) {  // D7
  EchoServer server;
  EXPECT_EQ(failure_of(dialed(on_this_machine(server.port()))), std::nullopt);
  EXPECT_EQ(server.handler.wait_for_end(), NetError::Closed);
}

TEST(Dialer, ConnectsToPrivateAddressesOnlyWhenAllowed) {  // D1
  EchoServer server;
  const auto refused = dialed(on_this_machine(server.port()), {});
  EXPECT_EQ(failure_of(refused), DialFailure::Forbidden);
  EXPECT_NE(refused->text.find("a loopback address"), std::string::npos);
  for (const char* const host : {"10.0.0.1", "169.254.169.254", "::1", "::ffff:192.168.0.1",
                                 "fd00::1", "64:ff9b::127.0.0.1", "0.0.0.0"}) {
    EXPECT_EQ(failure_of(dialed({host, server.port(), "/", false}, {})), DialFailure::Forbidden)
        << host;
  }
}

Lookup always(std::vector<std::string> addresses) {
  return [addresses](const std::string&) -> core::Result<std::vector<IpAddress>, std::string> {
    std::vector<IpAddress> found;
    for (const std::string& text : addresses) found.push_back(*IpAddress::parse(text));
    return found;
  };
}

TEST(Dialer, JudgesEveryAddressOfAName) {  // D1
  EchoServer server;
  const DialTarget target{"rebound.example", server.port(), "/", false};
  EXPECT_EQ(failure_of(dialed(target, {}, {.lookup = always({"10.1.2.3", "127.0.0.1"})})),
            DialFailure::Forbidden);
  EXPECT_EQ(failure_of(dialed(target, {}, {.lookup = always({"8.8.8.8", "127.0.0.1"})})),
            DialFailure::Forbidden);
  EXPECT_FALSE(dialed(target, private_allowed(), {.lookup = always({"127.0.0.1"})}));
}

TEST(Dialer, AsksNobodyForANameThatIsNotPublic) {  // D1
  EchoServer server;
  std::atomic<int> asked = 0;
  const Lookup counted = [&](const std::string& host) {
    ++asked;
    return always({"127.0.0.1"})(host);
  };
  for (const char* const host : {"localhost", "printer", "a.local", "b.internal", "c.home.arpa",
                                 "d.onion", "e.test", "f.invalid", "g.localdomain"}) {
    const DialTarget target{host, server.port(), "/", false};
    EXPECT_EQ(failure_of(dialed(target, {}, {.lookup = counted})), DialFailure::Forbidden) << host;
    EXPECT_FALSE(dialed(target, private_allowed(), {.lookup = always({"127.0.0.1"})})) << host;
  }
  EXPECT_EQ(asked, 0);
}

TEST(Dialer, TriesTheNextAddressOfAName) {
  EchoServer server;  // listens on one of them
  const DialTarget target{"two.example", server.port(), "/", false};
  EXPECT_FALSE(dialed(target, private_allowed(), {.lookup = always({"127.0.0.9", "127.0.0.1"})}));
}

TEST(Dialer, SaysThatANameIsUnknown) {
  const auto unknown = [](const std::string&) -> core::Result<std::vector<IpAddress>, std::string> {
    return core::Failure{std::string("no such name")};
  };
  const DialTarget target{"nowhere.example", 80, "/", false};
  const auto opened = dialed(target, {}, {.lookup = unknown});
  EXPECT_EQ(failure_of(opened), DialFailure::Name);
  EXPECT_EQ(opened->text, "nowhere.example was not found: no such name");
  EXPECT_EQ(failure_of(dialed(target, {}, {.lookup = always({})})), DialFailure::Name);
}

TEST(Dialer, RefusesATargetThatWouldBreakItsRequest) {
  for (const DialTarget& target :
       {DialTarget{"", 80, "/", false}, DialTarget{"a b", 80, "/", false},
        DialTarget{"127.0.0.1", 80, "/\r\nX: y", false}, DialTarget{"127.0.0.1", 0, "/", false},
        DialTarget{"127.0.0.1", 80, "x", false}}) {
    EXPECT_EQ(failure_of(dialed(target)), DialFailure::Name);
  }
}

Task<int> dial_twice(std::shared_ptr<Dialer> dialer, DialTarget target, bool opens = true) {
  for (int i = 0; i < 2; ++i) {
    const auto opened = co_await dialer->dial(target, private_allowed());
    EXPECT_EQ(static_cast<bool>(opened), opens);
  }
  co_return 0;
}

TEST(Dialer, RemembersWhatANameStandsFor) {
  EchoServer server;
  std::atomic<int> asked = 0;
  const auto lookup = [&](const std::string& host) {
    ++asked;
    return always({"127.0.0.1"})(host);
  };
  const DialTarget target{"often.example", server.port(), "/", false};
  run_to_end(dial_twice(make_dialer({.lookup = lookup}), target));
  EXPECT_EQ(asked, 1);
}

TEST(Dialer, SoonAsksAgainForANameThatStandsForNothing) {
  std::atomic<int> asked = 0;
  const auto lookup = [&](const std::string& host) {
    ++asked;
    return always({})(host);
  };
  const DialTarget target{"new.example", 80, "/", false};
  const DialerOptions options{.lookup = lookup, .error_lifetime = core::Duration(0)};
  run_to_end(dial_twice(make_dialer(options), target, false));
  EXPECT_EQ(asked, 2);
}

TEST(Dialer, DoesNotWaitForASlowResolver) {  // D3
  std::promise<void> released;
  const auto lookup = [wait = released.get_future().share()](const std::string& host) {
    wait.wait();
    return always({"127.0.0.1"})(host);
  };
  DialOptions options = private_allowed();
  options.dial_timeout = core::Duration(50);
  EXPECT_EQ(failure_of(dialed({"slow.example", 80, "/", false}, options, {.lookup = lookup})),
            DialFailure::TimedOut);
  released.set_value();
}

TEST(Dialer, SaysThatNobodyListens) {
  std::uint16_t port = RawListener().port();
  EXPECT_EQ(failure_of(dialed(on_this_machine(port))), DialFailure::Refused);
}

TEST(Dialer, GivesUpOnAPeerThatDoesNotAnswerTheHandshake) {  // D3
  RawListener mute;
  DialOptions options = private_allowed();
  options.dial_timeout = core::Duration(50);
  EXPECT_EQ(failure_of(dialed(on_this_machine(mute.port()), options)), DialFailure::TimedOut);
}

TEST(Dialer, TellsWhatWasAnsweredInsteadOfAWebSocket) {
  EchoServer server;
  const auto opened = dialed(on_this_machine(server.port(), "/banned"));
  EXPECT_EQ(failure_of(opened), DialFailure::NotAWebSocket);
  EXPECT_EQ(opened->http_status, 403);
}

// A peer that answers the handshake with `answer` and then waits for the client to go.
std::optional<DialFailure> failure_after(const std::string& answer) {
  RawListener listener;
  std::thread peer([&] {
    const core::FileDescriptor client = listener.accept();
    RawListener::read_until(client.get(), "\r\n\r\n");
    RawListener::send(client.get(), answer);
    ::shutdown(client.get(), SHUT_WR);
    char byte = 0;
    while (::recv(client.get(), &byte, 1, 0) > 0) {
    }
  });
  const auto opened = dialed(on_this_machine(listener.port()));
  peer.join();
  return failure_of(opened);
}

TEST(Dialer, KnowsWhatIsNoWebSocket) {
  EXPECT_EQ(failure_after("SSH-2.0-OpenSSH_9.2\r\n"), DialFailure::NotAWebSocket);
  EXPECT_EQ(failure_after("HTTP/1.1 301 Moved\r\nLocation: ws://127.0.0.1/\r\n\r\n"),
            DialFailure::NotAWebSocket);
  EXPECT_EQ(failure_after("HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                          "Sec-WebSocket-Accept: wrong\r\n\r\n"),
            DialFailure::NotAWebSocket);
  EXPECT_EQ(failure_after(""), DialFailure::Failed);
}

TEST(Dialer, PingsAndGivesUpAPeerThatStaysSilent) {  // C2
  RawListener listener;
  std::string frame;
  std::thread peer([&] {
    const core::FileDescriptor client = listener.accept();
    RawListener::send(client.get(),
                      switching_protocols(RawListener::read_until(client.get(), "\r\n\r\n")));
    frame = RawListener::read_until(client.get(), "\x80");
    char byte = 0;
    while (::recv(client.get(), &byte, 1, 0) > 0) {
    }
  });
  DialOptions options = private_allowed();
  options.ping_interval = core::Duration(40);
  options.idle_timeout = core::Duration(400);
  const Talk said = finished(talk(on_this_machine(listener.port()), options, {}, 1));
  peer.join();
  EXPECT_EQ(said.ended, NetError::TimedOut);
  EXPECT_EQ(frame, "\x89\x80");
}

TEST(Dialer, KeepsASilentPeerThatAnswersPings) {  // C2
  EchoServer server;
  DialOptions options = private_allowed();
  options.ping_interval = core::Duration(20);
  options.idle_timeout = core::Duration(1500);    // on a machine that stands still, too
  options.answer_timeout = core::Duration(4000);  // ends the wait: longer than the idle timeout
  const auto started = std::chrono::steady_clock::now();
  const Talk said = finished(talk(on_this_machine(server.port()), options, {}, 1));
  EXPECT_EQ(said.ended, NetError::TimedOut);
  EXPECT_GE(std::chrono::steady_clock::now() - started, std::chrono::milliseconds(4000));
}

// Sends this again and again, reads nothing, and stops when the client is gone; whether it went.
bool flood(RawListener& listener, const std::string& words, std::size_t bytes_max) {
  const core::FileDescriptor client = listener.accept();
  RawListener::send(client.get(),
                    switching_protocols(RawListener::read_until(client.get(), "\r\n\r\n")));
  for (std::size_t sent = 0; sent < bytes_max;) {
    const ssize_t size = ::send(client.get(), words.data(), words.size(), MSG_NOSIGNAL);
    if (size < 0) return true;
    sent += static_cast<std::size_t>(size);
  }
  return false;
}

TEST(Dialer, LeavesAPeerThatPingsAndDoesNotTakeTheAnswers) {  // C4
  RawListener listener;
  std::string pings;
  for (int i = 0; i < 1000; ++i) pings += "\x89\x7d" + std::string(125, 'x');
  auto peer = std::async(std::launch::async,
                         [&] { return flood(listener, pings, std::size_t{512} << 20); });
  const Talk said = finished(talk(on_this_machine(listener.port()), private_allowed(), {}, 1));
  EXPECT_EQ(said.ended, NetError::Protocol);
  EXPECT_TRUE(peer.get());
}

TEST(Dialer, LeavesAPeerThatTakesFarLessThanItIsSent) {  // C4
  RawListener listener;
  auto peer = std::async(std::launch::async, [&] { return flood(listener, "\x81\x01x", 1); });
  DialOptions options = private_allowed();
  options.outbound_bytes_max = 100'000;
  options.compression = false;
  const std::vector<std::string> words(5, std::string(90'000, 'a'));
  const Talk said = finished(talk(on_this_machine(listener.port()), options, words, 1));
  EXPECT_EQ(said.ended, NetError::TimedOut);
  peer.wait();
}

TEST(Dialer, TakesNoMessageBeyondItsLimit) {  // C1
  EchoServer server;
  DialOptions options = private_allowed();
  options.message_bytes_max = 1000;
  for (const bool compression : {false, true}) {
    options.compression = compression;
    const Talk said =
        finished(talk(on_this_machine(server.port()), options, {std::string(1001, 'a')}, 1));
    EXPECT_EQ(said.ended, NetError::TooBig);
  }
}

TEST(Dialer, HearsThatThePeerCloses) {
  EchoServer server;
  const Talk said = finished(talk(on_this_machine(server.port()), private_allowed(), {"close"}, 1));
  EXPECT_EQ(said.ended, NetError::Closed);
}

Task<bool> write_and_drain(std::uint16_t port) {
  const auto dialer = make_dialer({});
  auto options = private_allowed();
  options.compression = false;
  const auto socket = co_await dialer->dial(on_this_machine(port), options);
  EXPECT_TRUE(socket);
  (*socket)->write(std::string(4 * 1024 * 1024, 'x'));
  EXPECT_GT((*socket)->unsent(), 0U);
  const bool drained = co_await (*socket)->drained_to(0);
  EXPECT_EQ((*socket)->unsent(), 0U);
  const auto echoed = co_await (*socket)->read();
  EXPECT_TRUE(echoed && echoed->text.size() == 4 * 1024 * 1024);
  co_return drained;
}

TEST(Dialer, WaitsUntilThePeerHasTakenWhatWasWritten) {  // W3
  EchoServer server;
  EXPECT_TRUE(finished(write_and_drain(server.port())));
}

}  // namespace dialer_test
}  // namespace graspd::net
