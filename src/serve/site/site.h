// The answers to plain HTTP requests: NIP-11 document, health, metrics, start page. The page itself
// is made elsewhere, because its content depends on what the service does.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "http/base_path.h"
#include "http/message.h"
#include "relay/information.h"

namespace graspd::serve {

struct SiteOptions {
  http::BasePath mount;
  relay::Identity identity;
  relay::Limits limits;
  // The start page, for people.
  std::function<http::Response()> start_page = [] {
    return http::text_response(200, "A Nostr relay.\n");
  };
  std::string icon;  // a PNG; empty: there is none
  // By their path below the mount: what else is read with GET, what is sent to with POST.
  using Responder = std::function<http::Response(const http::Request& request)>;
  std::map<std::string, Responder, std::less<>> more_pages, posts;
  // The text of /metrics; empty function: switched off.
  std::function<std::string()> metrics;
  // A bearer token that /metrics and `more_pages` want, if it is set. On a private service they
  // exist for nobody without one.
  std::string status_token;
  bool is_private = false;
  // Why the server is not ready for clients, if so.
  std::function<std::optional<std::string>()> trouble = [] { return std::nullopt; };
};

class Site {
 public:
  explicit Site(SiteOptions options);

  http::Response respond(const http::Request& request) const;

  // Is this where WebSockets are opened?
  bool is_relay_path(const http::Request& request) const;

 private:
  http::Response read(std::string_view path, const http::Request& request) const;
  http::Response take(std::string_view path, const http::Request& request) const;
  http::Response icon(std::string_view path) const;
  http::Response robots() const;
  http::Response readiness() const;
  http::Response metrics() const;
  std::optional<http::Response> refuse_status(std::string_view path,
                                              const http::Request& request) const;
  http::Response not_found(std::string_view path) const;

  const SiteOptions options_;
  const std::string information_;
};

}  // namespace graspd::serve
