// Routes HTTP requests: git requests to the git server, WebSockets to the relay, everything else to
// the site.
//
//   R1  After close() every request is answered with 503.
//   R2  Behind a trusted proxy, the client is the one that the proxy names.
#pragma once
#include <atomic>
#include <vector>

#include "core/ip_address.h"
#include "net/server.h"
#include "serve/relay/relay_server.h"
#include "serve/site/site.h"

namespace graspd::serve {

class GitServer;

class HttpFront : public net::Handler {
 public:
  // `git` is nullptr where nothing is hosted. All outlive the front.
  HttpFront(std::vector<core::Cidr> trusted_proxies, SiteOptions site, RelayServer& relay,
            GitServer* git);

  void close() { is_closed_ = true; }

  bool enter(const core::IpAddress& peer) override;
  void leave(const core::IpAddress& peer) override;
  http::Response respond(const http::Request& request) override;
  std::optional<net::StreamOptions> streams(const http::Request& request) override;
  net::Task<void> exchange(std::shared_ptr<net::Exchange> exchange) override;
  std::optional<http::Response> refuse_upgrade(const http::Request& request) override;
  net::Task<void> serve(std::shared_ptr<net::WebSocket> socket, http::Request request,
                        std::size_t thread) override;
  void decorate(http::Headers& headers) const override;

 private:
  core::IpAddress client_of(const http::Request& request) const;  // R2
  bool is_proxy(const core::IpAddress& peer) const;

  const std::vector<core::Cidr> trusted_proxies_;
  const Site site_;
  RelayServer& relay_;
  GitServer* const git_;
  std::atomic<bool> is_closed_ = false;
};

}  // namespace graspd::serve
