#include "app/client/owner_request.h"

#include <fmt/format.h>

#include "app/client/drafts.h"
#include "app/server/wiring.h"
#include "net/clock.h"
#include "relay/http_auth.h"

namespace graspd::app {

using core::Failure;
using core::Result;

Result<OwnerKey, std::string> owner_of(const Settings& settings) {
  auto found = find_owner_key(owner_places(settings));
  if (!found) return Failure{std::move(found).error()};
  if (*found) return **std::move(found);
  return Failure{
      std::string("the relay's key was not found; run this where graspd serve runs, or set "
                  "NGIT_OWNER_NSEC_FILE")};
}

Result<http::Response, std::string> post_as_owner(const Settings& settings, const OwnerKey& owner,
                                                  const std::string& url, std::string_view path,
                                                  std::string body) {
  const auto service = service_address(settings, url);
  if (!service) return Failure{service.error()};
  const std::string signed_url =
      http_url(url.empty() ? service_url(settings, settings.bind_port) : *service, path);
  const auto draft = relay::http_auth_draft("POST", signed_url, body);
  const auto proof = signed_event(draft, owner.keypair, net::now().unix_seconds);
  http::Headers headers;
  headers.add("Authorization", relay::http_auth_header(proof));
  headers.add("Content-Type", "text/plain");
  return post(*service, path, std::move(headers), std::move(body));
}

std::string said_in(const http::Response& answer) {
  const auto type = answer.headers.get("Content-Type").value_or("");
  if (!type.starts_with("text/plain")) return fmt::format("HTTP {}", answer.status);
  return answer.body.substr(0, answer.body.find('\n'));
}

}  // namespace graspd::app
