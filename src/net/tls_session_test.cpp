#include "net/tls_session.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <unistd.h>

#include "net/tls_testing.h"

namespace graspd::net {
namespace tls_session_test {

using State = TlsSession::State;

// The server in memory: what the client sends is put in, what it answers taken out.
class ServerSide {
 public:
  explicit ServerSide(SSL_CTX* context) : session_(SSL_new(context)) {
    SSL_set_bio(session_.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    SSL_set_accept_state(session_.get());
  }
  void put(const std::string& bytes) {
    BIO_write(SSL_get_rbio(session_.get()), bytes.data(), static_cast<int>(bytes.size()));
    char plain[16384];
    int size = 0;
    while ((size = SSL_read(session_.get(), plain, sizeof plain)) > 0)
      heard.append(plain, static_cast<std::size_t>(size));
    goodbye = SSL_get_error(session_.get(), size) == SSL_ERROR_ZERO_RETURN;
  }
  void say(const std::string& text) {
    SSL_write(session_.get(), text.data(), static_cast<int>(text.size()));
  }
  void renew_key() { SSL_key_update(session_.get(), SSL_KEY_UPDATE_REQUESTED); }
  std::string take_output() {
    char* data = nullptr;
    const long size = BIO_get_mem_data(SSL_get_wbio(session_.get()), &data);
    std::string bytes(data, static_cast<std::size_t>(size));
    static_cast<void>(BIO_reset(SSL_get_wbio(session_.get())));
    return bytes;
  }
  std::string indicated_name() const {
    const char* name = SSL_get_servername(session_.get(), TLSEXT_NAMETYPE_host_name);
    return name ? name : "";
  }
  std::string version() const { return SSL_get_version(session_.get()); }

  std::string heard;
  bool goodbye = false;

 private:
  OpenSslPtr<SSL> session_;
};

class TlsSessionTest : public ::testing::Test {
 protected:
  TlsSessionTest() {
    write_pem(ca_file_, authority_);
    auto made = TlsContext::make(ca_file_);
    if (!made) throw std::runtime_error(made.error());
    context_ = *std::move(made);
  }
  ~TlsSessionTest() override { std::filesystem::remove(ca_file_); }

  void serve(const CertificateWish& wish) { serve(make_certificate(wish, &authority_)); }
  void serve(Certificate certificate) {
    server_context_ = server_context(certificate);
    certificate_ = std::move(certificate);
  }
  void start(const std::string& host) {
    server.emplace(server_context_.get());
    client.emplace(context_, host);
    client->start();
    exchange();
  }
  // Until neither has anything to say.
  void exchange() {
    while (true) {
      const std::string to_server = client->take_output();
      server->put(to_server);
      const std::string to_client = server->take_output();
      if (to_client.empty() && to_server.empty()) return;
      // In small pieces, as a network may bring it.
      for (std::size_t at = 0; at < to_client.size(); at += 100)
        client->put(std::string_view(to_client).substr(at, 100));
    }
  }
  std::string failure_for(const CertificateWish& wish, const std::string& host) {
    serve(wish);
    start(host);
    EXPECT_EQ(client->state(), State::Failed);
    return client->failure();
  }

  SSL_CTX* server_settings() { return server_context_.get(); }

  std::optional<ServerSide> server;
  std::optional<TlsSession> client;

 private:
  std::string ca_file_ = (std::filesystem::temp_directory_path() /
                          ("graspd-ca-" + std::to_string(::getpid()) + ".pem"))
                             .string();
  Certificate authority_ = make_certificate({.names = ""}, nullptr);
  Certificate certificate_;
  OpenSslPtr<SSL_CTX> server_context_;
  std::shared_ptr<TlsContext> context_;
};

TEST_F(TlsSessionTest, CarriesWordsBothWays) {
  serve({.names = "DNS:relay.example"});
  start("relay.example");
  ASSERT_EQ(client->state(), State::Open) << client->failure();
  EXPECT_EQ(server->indicated_name(), "relay.example");
  const std::string long_word(100'000, 'x');
  client->write(long_word);
  server->say("hello");
  exchange();
  EXPECT_EQ(server->heard, long_word);
  EXPECT_EQ(client->take_plain(), "hello");
  client->close();
  exchange();
  EXPECT_TRUE(server->goodbye);
}

TEST_F(TlsSessionTest, AnswersARequestForNewKeys) {  // R3
  serve({.names = "DNS:relay.example"});
  start("relay.example");
  server->renew_key();
  server->say("with a new key");
  exchange();
  EXPECT_EQ(client->take_plain(), "with a new key");
  client->write("so do I");
  exchange();
  EXPECT_EQ(server->heard, "so do I");
}

TEST_F(TlsSessionTest, BelievesNamesWildcardsAndAddresses) {  // R1
  for (const auto& [names, host] : {std::pair{"DNS:*.example.org", "relay.example.org"},
                                    {"IP:127.0.0.1", "127.0.0.1"},
                                    {"IP:::1", "::1"},
                                    {"DNS:a.example,DNS:b.example", "b.example"}}) {
    serve({.names = names});
    start(host);
    EXPECT_EQ(client->state(), State::Open) << host << ": " << client->failure();
  }
}

TEST_F(TlsSessionTest, BelievesNobodyElse) {  // R1
  EXPECT_EQ(failure_for({.names = "DNS:other.example"}, "relay.example"), "hostname mismatch");
  EXPECT_EQ(failure_for({.names = "DNS:*.example.org"}, "a.b.example.org"), "hostname mismatch");
  EXPECT_EQ(failure_for({.names = "DNS:127.0.0.1"}, "127.0.0.1"), "IP address mismatch");
  EXPECT_EQ(failure_for({"DNS:relay.example", -7200, -3600}, "relay.example"),
            "certificate has expired");
  EXPECT_EQ(failure_for({"DNS:relay.example", 3600, 7200}, "relay.example"),
            "certificate is not yet valid");
}

TEST_F(TlsSessionTest, BelievesNoUnknownAuthority) {  // R1
  serve(make_certificate({.names = "DNS:relay.example"}, nullptr));
  start("relay.example");
  EXPECT_EQ(client->state(), State::Failed);
  EXPECT_EQ(client->failure(), "self-signed certificate");
}

TEST_F(TlsSessionTest, SpeaksNoVersionBefore12) {  // R1
  for (const int version : {TLS1_1_VERSION, TLS1_2_VERSION}) {
    serve({.names = "DNS:relay.example"});
    SSL_CTX_set_security_level(server_settings(), 0);
    SSL_CTX_set_min_proto_version(server_settings(), TLS1_VERSION);
    SSL_CTX_set_max_proto_version(server_settings(), version);
    start("relay.example");
    EXPECT_EQ(client->state(), version == TLS1_2_VERSION ? State::Open : State::Failed);
  }
  EXPECT_EQ(server->version(), "TLSv1.2");
}

TEST_F(TlsSessionTest, FailsOnWhatIsNoTls) {
  serve({.names = "DNS:relay.example"});
  start("relay.example");
  TlsSession other(TlsContext::make("").operator*(), "relay.example");
  other.start();
  other.put("HTTP/1.1 400 Bad Request\r\n\r\n");
  EXPECT_EQ(other.state(), State::Failed);
  EXPECT_FALSE(other.failure().empty());
}

TEST(TlsContext, SaysWhichFileItCannotRead) {
  const auto made = TlsContext::make("/nonexistent/ca.pem");
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().find("/nonexistent/ca.pem"), std::string::npos);
}

}  // namespace tls_session_test
}  // namespace graspd::net
