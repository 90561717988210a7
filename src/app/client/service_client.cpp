#include "app/client/service_client.h"

#include <fmt/format.h>
#include <optional>

#include "app/base/version.h"
#include "net/dialer.h"
#include "net/dialer_loop.h"
#include "relay/http_auth.h"

namespace graspd::app {
namespace {

using core::Failure;
using core::Result;

// The status of ten thousand repositories on some relays each.
constexpr std::size_t kAnswerBytesMax = 64 * 1024 * 1024;

// An address to connect to: a server that listens everywhere listens here too.
std::string own_address(const Settings& settings) {
  Settings here = settings;
  const bool is_v4 = here.bind_ip.is_v4();
  if (here.bind_ip == *core::IpAddress::parse(is_v4 ? "0.0.0.0" : "::"))
    here.bind_ip = *core::IpAddress::parse(is_v4 ? "127.0.0.1" : "::1");
  const std::string mount = settings.base_path == "/" ? "" : settings.base_path;
  return "http://" + bind_address(here, settings.bind_port) + mount;
}

std::string path_below(const ServiceAddress& service, std::string_view below) {
  std::string path = service.path();
  while (path.ends_with('/')) path.pop_back();
  return path.append(below);
}

// One question under way; lives longer than the event loop that runs it.
struct Question {
  net::DialTarget target;
  net::HttpGetOptions options;
  std::optional<std::string> body;  // of a POST
  std::optional<Result<http::Response, net::DialError>> answer;
};

net::Task<int> ask(Question* question) {
  const auto dialer = net::make_dialer({});
  net::DialTarget target = question->target;
  net::HttpGetOptions options = question->options;
  if (question->body) {
    std::string body = *question->body;
    question->answer =
        co_await dialer->http_post(std::move(target), std::move(body), std::move(options));
  } else {
    question->answer = co_await dialer->http_get(std::move(target), std::move(options));
  }
  co_return 0;
}

Result<http::Response, std::string> send(const ServiceAddress& service, std::string_view below,
                                         http::Headers headers, std::optional<std::string> body) {
  Question question;
  question.target = {service.host(), service.port(), path_below(service, below),
                     service.is_secure()};
  question.options.allow_private_addresses = true;  // whoever types a command may go everywhere
  question.options.body_bytes_max = kAnswerBytesMax;
  question.options.headers = std::move(headers);
  question.options.headers.add("User-Agent", fmt::format("graspd/{}", kVersion));
  question.body = std::move(body);
  net::run_to_end(ask(&question));
  if (*question.answer) return **std::move(question.answer);
  const net::DialError& error = question.answer->error();
  const bool refused = error.kind == net::DialFailure::Refused;
  return Failure{error.text + (refused ? "; is graspd serve running there?" : "")};
}

}  // namespace

Result<ServiceAddress, std::string> service_address(const Settings& settings,
                                                    const std::string& text) {
  const std::string url = text.empty() ? own_address(settings) : text;
  const bool is_http = url.starts_with("http");
  const auto address = is_http ? relay::relay_url_of_http(url) : nostr::RelayUrl::parse(url);
  if (address) return *address;
  return Failure{fmt::format(
      "--url {} is no address of a server; write http://127.0.0.1:7334 or https://example.org",
      url)};
}

std::string http_url(const ServiceAddress& service, std::string_view below) {
  std::string url = relay::http_url_of(service);
  while (url.ends_with('/')) url.pop_back();
  return url.append(below);
}

Result<http::Response, std::string> get(const ServiceAddress& service, std::string_view below,
                                        http::Headers headers) {
  return send(service, below, std::move(headers), std::nullopt);
}

Result<http::Response, std::string> post(const ServiceAddress& service, std::string_view below,
                                         http::Headers headers, std::string body) {
  return send(service, below, std::move(headers), std::move(body));
}

}  // namespace graspd::app
