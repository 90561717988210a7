// Messages that come slowly, and what they hold meanwhile. Rule numbers are those of
// net/web_socket_client.h (C).
#include <algorithm>
#include <future>
#include <gtest/gtest.h>

#include "net/dialer_testing.h"
#include "net/echo_server_testing.h"
#include "net/later.h"

namespace graspd::net {
namespace dialer_message_test {

// Begins a message and goes on with one byte each time the client shows a sign of life, for ever.
void trickle(RawListener& listener, std::size_t begin_bytes) {
  const core::FileDescriptor client = listener.accept();
  RawListener::send(client.get(),
                    switching_protocols(RawListener::read_until(client.get(), "\r\n\r\n")));
  const std::string head{'\x81', '\x7f', 0, 0, 0, 0, 0, '\x4f', 0, 0};  // 5 MB are announced
  RawListener::send(client.get(), head + std::string(begin_bytes, 'x'));
  pollfd sign{client.get(), POLLIN, 0};
  char ignored[100];
  while (::poll(&sign, 1, 10) == 0 || ::recv(client.get(), ignored, sizeof ignored, 0) > 0) {
    if (::send(client.get(), "x", 1, MSG_NOSIGNAL) != 1) return;
  }
}

Task<std::optional<NetError>> read_one(std::uint16_t port, DialOptions options) {
  const auto dialer = make_dialer({});
  const auto socket = co_await dialer->dial(on_this_machine(port), options);
  const auto message = co_await (*socket)->read();
  co_return message ? std::optional<NetError>() : message.error();
}

TEST(DialedMessages, WaitsForAMessageToEndButNotForEver) {  // C5
  RawListener listener;
  auto peer = std::async(std::launch::async, [&] { trickle(listener, 100'000); });
  DialOptions options = private_allowed();
  options.message_timeout = core::Duration(200);
  EXPECT_EQ(finished(read_one(listener.port(), options)), NetError::TooSlow);
  peer.get();
}

Task<std::optional<NetError>> read_two(std::uint16_t port, std::vector<std::size_t>* told,
                                       std::size_t close_at) {
  const auto dialer = make_dialer({});
  auto options = private_allowed();
  options.compression = false;
  std::shared_ptr<WebSocket> socket;
  options.on_held = [&](std::size_t bytes) {
    told->push_back(bytes);
    if (bytes >= close_at) socket->close(CloseCode::Policy, "too much");
  };
  socket = *(co_await dialer->dial(on_this_machine(port), options));
  for (const std::size_t size : {100'000, 10}) {
    socket->write(std::string(size, 'x'));
    const auto echoed = co_await socket->read();
    if (!echoed) co_return echoed.error();
    EXPECT_EQ(echoed->text.size(), size);
  }
  co_return std::nullopt;
}

TEST(DialedMessages, TellsWhatAMessageHoldsWhileItComes) {  // C6
  EchoServer server;
  std::vector<std::size_t> told;
  EXPECT_EQ(finished(read_two(server.port(), &told, 1 << 30)), std::nullopt);
  EXPECT_GE(*std::max_element(told.begin(), told.end()), 100'000U);
  ASSERT_GE(told.size(), 2U);
  EXPECT_LT(told[told.size() - 2], 10'000U) << "a small message gives the memory back";
  EXPECT_EQ(told.back(), 0U);
}

TEST(DialedMessages, MayBeClosedByTheOneWhoIsTold) {  // C6
  EchoServer server;
  std::vector<std::size_t> told;
  EXPECT_EQ(finished(read_two(server.port(), &told, 20'000)), NetError::Closed);
  EXPECT_LT(*std::max_element(told.begin(), told.end()), 100'000U);
}

Task<bool> dial_and_wait(std::uint16_t port, std::future<void>* enough) {
  const auto dialer = make_dialer({});
  auto options = private_allowed();
  options.ping_interval = core::Duration(20);
  options.idle_timeout = core::Duration(60);
  const auto socket = co_await dialer->dial(on_this_machine(port), options);
  while (enough->wait_for(std::chrono::seconds(0)) != std::future_status::ready)
    co_await pause(core::Duration(5));  // reads nothing
  const auto message = co_await (*socket)->read();
  co_return message && message->text == "still here";
}

TEST(DialedMessages, KeepAPeerAwakeAndAliveWhileNobodyReadsThem) {  // C2
  RawListener listener;
  std::promise<void> pinged;
  auto peer = std::async(std::launch::async, [&] {
    const core::FileDescriptor client = listener.accept();
    RawListener::send(client.get(),
                      switching_protocols(RawListener::read_until(client.get(), "\r\n\r\n")));
    for (int i = 0; i < 10; ++i)  // for longer than the idle timeout
      RawListener::read_until(client.get(), std::string_view("\x89\x80", 2));
    RawListener::send(client.get(), std::string("\x81\x0astill here"));
    pinged.set_value();
    char byte = 0;
    while (::recv(client.get(), &byte, 1, 0) > 0) {
    }
  });
  auto enough = pinged.get_future();
  EXPECT_TRUE(finished(dial_and_wait(listener.port(), &enough)));
  peer.get();
}

}  // namespace dialer_message_test
}  // namespace graspd::net
