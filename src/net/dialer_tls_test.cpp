// wss:// from end to end: a proxy that ends TLS stands before the server. Rules of net/dialer.h.
#include <atomic>
#include <filesystem>
#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>

#include "net/dialer_testing.h"
#include "net/echo_server_testing.h"
#include "net/loopback_peer_testing.h"
#include "net/tls_testing.h"

namespace graspd::net {
namespace dialer_tls_test {

// Takes one TLS connection after the other and passes plain bytes to a port of this machine.
class TlsProxy {
 public:
  TlsProxy(SSL_CTX* context, std::uint16_t to) : context_(context), to_(to) {
    thread_ = std::thread([this] { run(); });
  }
  ~TlsProxy() {
    stopping_ = true;
    try {
      LoopbackPeer wake_up(listener_.port());
    } catch (const std::exception&) {
    }
    thread_.join();
  }
  std::uint16_t port() const { return listener_.port(); }

 private:
  static core::FileDescriptor connected(std::uint16_t port) {
    core::FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address);
    return socket;
  }
  void run() {
    while (!stopping_) {
      const core::FileDescriptor client = listener_.accept();
      const OpenSslPtr<SSL> session(SSL_new(context_));
      SSL_set_fd(session.get(), client.get());
      if (!stopping_ && SSL_accept(session.get()) == 1) pass(session.get(), client.get());
    }
  }
  void pass(SSL* session, int client) {
    const core::FileDescriptor server = connected(to_);
    char bytes[65536];
    while (true) {
      pollfd both[] = {{client, POLLIN, 0}, {server.get(), POLLIN, 0}};
      if (SSL_pending(session) == 0 && ::poll(both, 2, 20'000) < 1) return;
      if (SSL_pending(session) > 0 || both[0].revents != 0) {
        const int size = SSL_read(session, bytes, sizeof bytes);
        if (size <= 0) return;
        RawListener::send(server.get(), {bytes, static_cast<std::size_t>(size)});
      }
      if (both[1].revents != 0) {
        const ssize_t size = ::recv(server.get(), bytes, sizeof bytes, 0);
        if (size <= 0 || SSL_write(session, bytes, static_cast<int>(size)) <= 0) return;
      }
    }
  }

  SSL_CTX* context_;
  const std::uint16_t to_;
  RawListener listener_;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

class SecureDialer : public ::testing::Test {
 protected:
  SecureDialer() { write_pem(ca_file_, authority_); }
  ~SecureDialer() override { std::filesystem::remove(ca_file_); }

  DialerOptions believing() const {
    DialerOptions options;
    options.extra_ca_file = ca_file_;
    options.lookup =
        [](const std::string&) -> core::Result<std::vector<core::IpAddress>, std::string> {
      return std::vector{*core::IpAddress::parse("127.0.0.1")};
    };
    return options;
  }
  DialFailure failure(const std::string& host, const DialerOptions& options) {
    const auto opened =
        finished(make_dialer(options)->dial({host, proxy_.port(), "/", true}, private_allowed()));
    EXPECT_FALSE(opened);
    return opened ? DialFailure{} : opened.error().kind;
  }

  EchoServer server_;

 private:
  std::string ca_file_ = (std::filesystem::temp_directory_path() /
                          ("graspd-dialer-ca-" + std::to_string(::getpid()) + ".pem"))
                             .string();
  Certificate authority_ = make_certificate({.names = ""}, nullptr);
  Certificate certificate_ = make_certificate({.names = "DNS:relay.example"}, &authority_);
  OpenSslPtr<SSL_CTX> context_ = server_context(certificate_);

 protected:
  TlsProxy proxy_{context_.get(), server_.port()};
};

Task<std::size_t> echo(std::shared_ptr<Dialer> dialer, DialTarget target, std::size_t bytes) {
  const auto socket = co_await dialer->dial(target, private_allowed());
  if (!socket) throw std::runtime_error(socket.error().text);
  std::string word;
  for (std::size_t i = 0; i < bytes; ++i) word += static_cast<char>('!' + i * i % 90);
  (*socket)->write(word);
  const auto answer = co_await (*socket)->read();
  EXPECT_TRUE(answer && answer->text == word);
  (*socket)->close(CloseCode::Normal, "");
  co_return answer ? answer->text.size() : 0;
}

TEST_F(SecureDialer, ExchangesMessages) {
  const std::shared_ptr<Dialer> dialer = make_dialer(believing());
  for (const std::size_t bytes : {1U, 1000U, 1'000'000U})
    EXPECT_EQ(finished(echo(dialer, {"relay.example", proxy_.port(), "/", true}, bytes)), bytes);
  EXPECT_EQ(server_.handler.wait_for_end(), NetError::Closed);
}

TEST_F(SecureDialer, GetsADocument) {
  HttpGetOptions options;
  options.allow_private_addresses = true;
  const auto answer = finished(
      make_dialer(believing())->http_get({"relay.example", proxy_.port(), "/x", true}, options));
  ASSERT_TRUE(answer) << answer.error().text;
  EXPECT_EQ(answer->body, "/x|");
}

TEST_F(SecureDialer, BelievesOnlyTheRightNameAndAKnownAuthority) {  // R2
  EXPECT_EQ(failure("other.example", believing()), DialFailure::Tls);
  DialerOptions unbelieving = believing();
  unbelieving.extra_ca_file.clear();
  EXPECT_EQ(failure("relay.example", unbelieving), DialFailure::Tls);
}

TEST_F(SecureDialer, SaysThatAPlainPortHasNoTls) {
  const auto opened =
      finished(make_dialer(believing())
                   ->dial({"relay.example", server_.port(), "/", true}, private_allowed()));
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind, DialFailure::Tls);
}

TEST_F(SecureDialer, GivesUpOnAHandshakeThatDoesNotEnd) {  // R3
  RawListener mute;
  DialOptions options = private_allowed();
  options.dial_timeout = core::Duration(50);
  const auto opened =
      finished(make_dialer(believing())->dial({"relay.example", mute.port(), "/", true}, options));
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind, DialFailure::TimedOut);
}

}  // namespace dialer_tls_test
}  // namespace graspd::net
