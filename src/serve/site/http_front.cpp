#include "serve/site/http_front.h"

#include <algorithm>

#include "http/client_address.h"
#include "http/cors.h"
#include "serve/git/git_server.h"

namespace graspd::serve {
namespace {

http::Response unavailable(std::string text) {
  auto response = http::text_response(503, std::move(text));
  response.headers.add("Retry-After", "5");
  return response;
}

http::Response stopping() { return unavailable("starting or stopping\n"); }

}  // namespace

HttpFront::HttpFront(std::vector<core::Cidr> trusted_proxies, SiteOptions site, RelayServer& relay,
                     GitServer* git)
    : trusted_proxies_(std::move(trusted_proxies)),
      site_(std::move(site)),
      relay_(relay),
      git_(git) {}

void HttpFront::decorate(http::Headers& headers) const { http::add_cors(headers); }

core::IpAddress HttpFront::client_of(const http::Request& request) const {
  return http::client_address(request.peer, request.headers, trusted_proxies_);
}

// Behind a proxy everybody comes from one address: it does the counting.
bool HttpFront::is_proxy(const core::IpAddress& peer) const {
  return std::ranges::any_of(trusted_proxies_,
                             [&](const core::Cidr& network) { return network.contains(peer); });
}

bool HttpFront::enter(const core::IpAddress& peer) {
  return is_proxy(peer) || relay_.clients().enter_plain(peer);
}

void HttpFront::leave(const core::IpAddress& peer) {
  if (!is_proxy(peer)) relay_.clients().leave_plain(peer);
}

http::Response HttpFront::respond(const http::Request& request) {
  return is_closed_ ? stopping() : site_.respond(request);
}

std::optional<net::StreamOptions> HttpFront::streams(const http::Request& request) {
  if (!git_ || is_closed_) return std::nullopt;
  return git_->streams(request);
}

net::Task<void> HttpFront::exchange(std::shared_ptr<net::Exchange> exchange) {
  if (is_closed_)
    co_await exchange->respond(stopping());
  else
    co_await git_->exchange(std::move(exchange));
}

std::optional<http::Response> HttpFront::refuse_upgrade(const http::Request& request) {
  if (is_closed_) return stopping();
  if (!site_.is_relay_path(request))
    return http::text_response(404, "the relay is at another path\n");
  if (relay_.is_full(client_of(request)))
    return unavailable("too many connections from your address\n");
  return std::nullopt;
}

net::Task<void> HttpFront::serve(std::shared_ptr<net::WebSocket> socket, http::Request request,
                                 std::size_t thread) {
  const core::IpAddress client = client_of(request);
  request = {};  // a connection may live for days
  if (is_closed_) {
    socket->close(net::CloseCode::TryAgainLater, "try again later");
    co_return;
  }
  co_await relay_.serve(std::move(socket), client, thread);
}

}  // namespace graspd::serve
