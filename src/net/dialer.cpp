#include "net/dialer.h"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <chrono>
#include <fmt/format.h>
#include <utility>

#include "core/address_class.h"
#include "net/dialer_http.h"
#include "net/dialer_resolver.h"
#include "net/dialer_stream.h"
#include "net/later.h"
#include "net/no_throw.h"
#include "net/web_socket_client.h"

namespace asio = boost::asio;

namespace graspd::net {
namespace {

using core::Failure;
using core::IpAddress;
using core::Result;
using TimePoint = DialerStream::TimePoint;
using Connected = Result<std::shared_ptr<DialerStream>, DialError>;

// Of the addresses of a name, so many are tried: the deadline is shared.
constexpr std::size_t kAttemptsMax = 4;

// Shared by a dialer and the dials under way (R6).
struct State {
  std::shared_ptr<Resolver> resolver;
  std::string extra_ca_file;
  std::shared_ptr<TlsContext> tls;  // made when first needed
};

struct Plan {
  DialTarget target;
  TimePoint deadline;
  bool allow_private_addresses;
};

std::string bracketed(const std::string& host) {
  return host.find(':') == std::string::npos ? host : '[' + host + ']';
}

std::string peer_name(const DialTarget& target) {
  return fmt::format("{}:{}", bracketed(target.host), target.port);
}

std::string host_header(const DialTarget& target) {
  const bool is_usual = target.port == (target.tls ? 443 : 80);
  return is_usual ? bracketed(target.host) : peer_name(target);
}

std::string path_of(const DialTarget& target) { return target.path.empty() ? "/" : target.path; }

// Nothing of a target may end the line it is written in.
bool is_writable(const DialTarget& target) {
  const auto is_plain = [](char c) { return c > ' ' && c < '\x7f'; };
  return !target.host.empty() && target.port != 0 &&
         std::all_of(target.host.begin(), target.host.end(), is_plain) &&
         std::all_of(target.path.begin(), target.path.end(), is_plain) &&
         (target.path.empty() || target.path.front() == '/');
}

DialError timed_out(const Plan& plan) {
  return {DialFailure::TimedOut, fmt::format("{} did not answer in time", peer_name(plan.target))};
}

// R1: what is left may be connected to.
Result<std::vector<IpAddress>, DialError> judged(const Plan& plan,
                                                 const std::vector<IpAddress>& addresses) {
  const std::string& host = plan.target.host;
  if (addresses.empty())
    return Failure{DialError{DialFailure::Name, fmt::format("{} has no address", host)}};
  for (const IpAddress& address : addresses) {
    if (plan.allow_private_addresses || core::is_global(address)) continue;
    return Failure{
        DialError{DialFailure::Forbidden, fmt::format("{} is {}, which is not connected to", host,
                                                      core::describe(core::classify(address)))}};
  }
  std::vector<IpAddress> allowed = addresses;
  if (allowed.size() > kAttemptsMax) allowed.resize(kAttemptsMax);
  return allowed;
}

Task<Result<std::vector<IpAddress>, DialError>> find(std::shared_ptr<State> state, Plan plan) {
  if (const auto address = IpAddress::parse(plan.target.host))
    co_return judged(plan, std::vector{*address});
  if (!plan.allow_private_addresses && !core::is_public_name(plan.target.host)) {
    co_return Failure{DialError{
        DialFailure::Forbidden,
        fmt::format("{} is no public name, which is not connected to", plan.target.host)}};
  }
  const auto answer = co_await Resolver::resolve(state->resolver, plan.target.host, plan.deadline);
  if (!answer) co_return Failure{timed_out(plan)};
  if (!*answer) {
    co_return Failure{DialError{
        DialFailure::Name, fmt::format("{} was not found: {}", plan.target.host, answer->error())}};
  }
  co_return judged(plan, **answer);
}

Task<Connected> connect(Plan plan, std::vector<IpAddress> addresses) {
  DialError failure = timed_out(plan);
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const TimePoint now = std::chrono::steady_clock::now();
    if (now >= plan.deadline) break;
    auto stream = std::make_shared<DialerStream>(co_await asio::this_coro::executor);
    stream->expire_at(now + (plan.deadline - now) / (addresses.size() - i));
    const auto error = co_await stream->connect(addresses[i], plan.target.port);
    if (!error) {
      stream->expire_at(plan.deadline);
      co_return stream;
    }
    if (!stream->expired())
      failure = {DialFailure::Refused,
                 fmt::format("{}: {}", peer_name(plan.target), error.message())};
  }
  co_return Failure{std::move(failure)};
}

Task<std::optional<DialError>> secure(std::shared_ptr<State> state, Plan plan,
                                      std::shared_ptr<DialerStream> stream) {
  if (!state->tls) {
    auto made = TlsContext::make(state->extra_ca_file);
    if (!made) co_return DialError{DialFailure::Tls, made.error()};
    state->tls = *std::move(made);
  }
  const auto problem =
      co_await stream->secure(std::make_unique<TlsSession>(state->tls, plan.target.host));
  if (!problem) co_return std::nullopt;
  if (stream->expired()) co_return timed_out(plan);
  co_return DialError{DialFailure::Tls,
                      fmt::format("{}: no TLS: {}", peer_name(plan.target), *problem)};
}

// A stream to the target that expires at the deadline.
Task<Connected> reach(std::shared_ptr<State> state, Plan plan) {
  if (!is_writable(plan.target))
    co_return Failure{DialError{DialFailure::Name, "this is no host and path"}};
  auto addresses = co_await find(state, plan);
  if (!addresses) co_return Failure{std::move(addresses).error()};
  auto stream = co_await connect(plan, *std::move(addresses));
  if (!stream || !plan.target.tls) co_return stream;
  auto error = co_await secure(state, plan, *stream);
  if (!error) co_return stream;
  (*stream)->abort();
  co_return Failure{std::move(*error)};
}

using Opened = Result<std::shared_ptr<WebSocket>, DialError>;

Task<void> open_into(std::optional<Opened>* opened, std::shared_ptr<DialerStream> stream,
                     WebSocketRequest request, DialOptions options) {
  *opened = co_await open_web_socket(std::move(stream), std::move(request), std::move(options));
}

// Waits to be cancelled. The handshake does not notice by itself that its caller was: it reads
// through Beast until the peer answers or the deadline has come.
Task<void> abort_if_cancelled(std::optional<Opened>* opened, std::shared_ptr<DialerStream> stream) {
  asio::steady_timer never(co_await asio::this_coro::executor, TimePoint::max());
  co_await never.async_wait(kNoThrow);
  if (!*opened) stream->abort();
}

Task<Opened> dial_with(std::shared_ptr<State> state, DialTarget target, DialOptions options) {
  const Plan plan{target, std::chrono::steady_clock::now() + options.dial_timeout,
                  options.allow_private_addresses};
  auto stream = co_await reach(state, plan);
  if (!stream) co_return Failure{std::move(stream).error()};
  WebSocketRequest request{peer_name(target), host_header(target), path_of(target)};
  std::optional<Opened> opened;
  auto opening = open_into(&opened, *stream, std::move(request), std::move(options));
  auto watching = abort_if_cancelled(&opened, *stream);
  co_await first(std::move(opening), std::move(watching));
  if (!*opened && (*stream)->expired()) co_return Failure{timed_out(plan)};
  if (*opened) (*stream)->never_expire();
  co_return *std::move(opened);
}

Task<Result<http::Response, DialError>> ask_with(std::shared_ptr<State> state, DialTarget target,
                                                 std::optional<std::string> posted,
                                                 HttpGetOptions options) {
  const Plan plan{target, std::chrono::steady_clock::now() + options.timeout,
                  options.allow_private_addresses};
  auto stream = co_await reach(state, plan);
  if (!stream) co_return Failure{std::move(stream).error()};
  HttpRequest request{peer_name(target), host_header(target), path_of(target), std::move(posted)};
  auto response = co_await ask_over(*stream, std::move(request), std::move(options));
  if (!response && (*stream)->expired()) co_return Failure{timed_out(plan)};
  co_return response;
}

class SocketDialer final : public Dialer {
 public:
  explicit SocketDialer(DialerOptions options) : state_(std::make_shared<State>()) {
    state_->resolver = std::make_shared<Resolver>(options);
    state_->extra_ca_file = std::move(options.extra_ca_file);
  }

  Task<Result<std::shared_ptr<WebSocket>, DialError>> dial(DialTarget target,
                                                           DialOptions options) override {
    return dial_with(state_, std::move(target), std::move(options));
  }
  Task<Result<http::Response, DialError>> http_get(DialTarget target,
                                                   HttpGetOptions options) override {
    return ask_with(state_, std::move(target), std::nullopt, std::move(options));
  }
  Task<Result<http::Response, DialError>> http_post(DialTarget target, std::string body,
                                                    HttpGetOptions options) override {
    return ask_with(state_, std::move(target), std::move(body), std::move(options));
  }

 private:
  std::shared_ptr<State> state_;
};

}  // namespace

std::unique_ptr<Dialer> make_dialer(DialerOptions options) {
  return std::make_unique<SocketDialer>(std::move(options));
}

}  // namespace graspd::net
