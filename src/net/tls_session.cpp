#include "net/tls_session.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <utility>

#include "core/check.h"
#include "core/ip_address.h"

namespace graspd::net {
namespace {

using core::Failure;

// In TLS the protocol is agreed upon beside the keys (ALPN); a list of length-prefixed names.
constexpr std::array<unsigned char, 9> kHttp11 = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};

// The network as OpenSSL sees it. Its own memory BIO would keep the largest buffer it ever had.
struct Wire {
  std::string received;
  std::size_t read = 0;
  std::string output;
};

int wire_read(BIO* bio, char* into, int size) {
  auto& wire = *static_cast<Wire*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  const std::size_t count =
      std::min(wire.received.size() - wire.read, static_cast<std::size_t>(size));
  if (count == 0) {
    BIO_set_retry_read(bio);
    return -1;
  }
  wire.received.copy(into, count, wire.read);
  wire.read += count;
  if (wire.read == wire.received.size()) {
    std::string().swap(wire.received);
    wire.read = 0;
  }
  return static_cast<int>(count);
}

int wire_write(BIO* bio, const char* from, int size) {
  static_cast<Wire*>(BIO_get_data(bio))->output.append(from, static_cast<std::size_t>(size));
  return size;
}

long wire_control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

BIO_METHOD* make_wire_method() {
  BIO_METHOD* method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "wire");
  CHECK(method);
  BIO_meth_set_read(method, wire_read);
  BIO_meth_set_write(method, wire_write);
  BIO_meth_set_ctrl(method, wire_control);
  return method;
}

BIO* make_bio(Wire& wire) {
  static BIO_METHOD* const method = make_wire_method();
  BIO* bio = BIO_new(method);
  CHECK(bio);
  BIO_set_data(bio, &wire);
  BIO_set_init(bio, 1);
  return bio;
}

// The newest complaint of OpenSSL on this thread; the others are forgotten with it.
std::string complaint() {
  const unsigned long code = ERR_peek_last_error();
  ERR_clear_error();
  const char* text = code == 0 ? nullptr : ERR_reason_error_string(code);
  return text ? text : "the connection broke";
}

}  // namespace

struct TlsContext::Ssl {
  SSL_CTX* context = SSL_CTX_new(TLS_client_method());
  ~Ssl() { SSL_CTX_free(context); }
};

struct TlsSession::Ssl {
  SSL* session = nullptr;
  Wire wire;
  std::string plain;
  State state = State::Handshaking;
  std::string failure;
  ~Ssl() { SSL_free(session); }
};

TlsContext::TlsContext(std::unique_ptr<Ssl> ssl) : ssl_(std::move(ssl)) {}
TlsContext::~TlsContext() = default;

core::Result<std::shared_ptr<TlsContext>, std::string> TlsContext::make(
    const std::string& extra_ca_file) {
  auto ssl = std::make_unique<Ssl>();
  CHECK(ssl->context);
  SSL_CTX_set_min_proto_version(ssl->context, TLS1_2_VERSION);
  SSL_CTX_set_verify(ssl->context, SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_mode(ssl->context, SSL_MODE_RELEASE_BUFFERS);  // R2
  SSL_CTX_set_options(ssl->context, SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_session_cache_mode(ssl->context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_alpn_protos(ssl->context, kHttp11.data(), kHttp11.size());
  if (SSL_CTX_set_default_verify_paths(ssl->context) != 1)
    return Failure{fmt::format("the system's certificates cannot be read: {}", complaint())};
  if (!extra_ca_file.empty() &&
      SSL_CTX_load_verify_locations(ssl->context, extra_ca_file.c_str(), nullptr) != 1)
    return Failure{
        fmt::format("{} cannot be read as certificates: {}", extra_ca_file, complaint())};
  ERR_clear_error();
  return std::shared_ptr<TlsContext>(new TlsContext(std::move(ssl)));
}

TlsSession::TlsSession(std::shared_ptr<TlsContext> context, const std::string& host)
    : context_(std::move(context)), ssl_(std::make_unique<Ssl>()) {
  ssl_->session = SSL_new(context_->ssl_->context);
  CHECK(ssl_->session);
  BIO* bio = make_bio(ssl_->wire);
  SSL_set_bio(ssl_->session, bio, bio);
  SSL_set_connect_state(ssl_->session);
  SSL_set_hostflags(ssl_->session, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  if (core::IpAddress::parse(host)) {  // an address is no name: nothing to indicate (SNI)
    CHECK(X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl_->session), host.c_str()) == 1);
  } else if (SSL_set_tlsext_host_name(ssl_->session, host.c_str()) != 1 ||
             SSL_set1_host(ssl_->session, host.c_str()) != 1) {
    ssl_->state = State::Failed;
    ssl_->failure = "the host name cannot be used in TLS";
  }
}

TlsSession::~TlsSession() = default;

TlsSession::State TlsSession::state() const { return ssl_->state; }
const std::string& TlsSession::failure() const { return ssl_->failure; }
std::string TlsSession::take_output() { return std::exchange(ssl_->wire.output, {}); }
std::string TlsSession::take_plain() { return std::exchange(ssl_->plain, {}); }

void TlsSession::start() { advance(); }

void TlsSession::put(std::string_view received) {
  ssl_->wire.received.append(received);
  advance();
}

void TlsSession::advance() {
  if (ssl_->state == State::Handshaking) {
    ERR_clear_error();
    const int result = SSL_do_handshake(ssl_->session);
    if (result == 1)
      ssl_->state = State::Open;
    else
      end_with(result);
  }
  if (ssl_->state == State::Open) read_plain();
}

void TlsSession::read_plain() {
  std::array<char, 16 * 1024> record;
  while (true) {
    ERR_clear_error();
    const int size = SSL_read(ssl_->session, record.data(), static_cast<int>(record.size()));
    if (size <= 0) return end_with(size);
    ssl_->plain.append(record.data(), static_cast<std::size_t>(size));
  }
}

// Most often it only wants to hear more, which is no end.
void TlsSession::end_with(int result) {
  const int error = SSL_get_error(ssl_->session, result);
  if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) return;
  if (error == SSL_ERROR_ZERO_RETURN) {
    ssl_->state = State::Ended;
    return;
  }
  ssl_->state = State::Failed;
  const long verdict = SSL_get_verify_result(ssl_->session);
  ssl_->failure = verdict == X509_V_OK ? complaint() : X509_verify_cert_error_string(verdict);
  ERR_clear_error();
}

void TlsSession::write(std::string_view plain) {
  while (ssl_->state == State::Open && !plain.empty()) {
    const std::size_t part =
        std::min(plain.size(), static_cast<std::size_t>(std::numeric_limits<int>::max()));
    ERR_clear_error();
    const int size = SSL_write(ssl_->session, plain.data(), static_cast<int>(part));
    if (size <= 0) return end_with(size);
    plain.remove_prefix(static_cast<std::size_t>(size));
  }
}

void TlsSession::close() {
  if (ssl_->state != State::Open) return;
  ERR_clear_error();
  SSL_shutdown(ssl_->session);
  ERR_clear_error();
}

}  // namespace graspd::net
