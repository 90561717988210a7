#include "serve/site/site.h"

#include <boost/algorithm/string/predicate.hpp>
#include <fmt/format.h>

#include "core/sha256.h"
#include "http/cors.h"
#include "metrics/registry.h"
#include "web/html.h"

namespace graspd::serve {
namespace {

constexpr std::string_view kInformationType = "application/nostr+json";

bool wants_information(const http::Request& request) {
  auto accept = request.headers.joined("Accept");
  return accept && boost::algorithm::icontains(*accept, kInformationType);
}

http::Response method_not_allowed(bool takes_posts) {
  auto response = http::text_response(
      405, takes_posts ? "This address takes POST.\n" : "This address is read with GET.\n");
  response.headers.add("Allow", takes_posts ? "POST, OPTIONS" : "GET, HEAD, OPTIONS");
  return response;
}

http::Response typed(std::string_view type, std::string body) {
  http::Response response;
  response.headers.add("Content-Type", std::string(type));
  response.body = std::move(body);
  return response;
}

}  // namespace

Site::Site(SiteOptions options)
    : options_(std::move(options)),
      information_(relay::information_document(options_.identity, options_.limits)) {}

bool Site::is_relay_path(const http::Request& request) const {
  return options_.mount.below(request.path()) == "/";
}

http::Response Site::respond(const http::Request& request) const {
  if (request.method == http::Method::Options) return http::preflight_response();
  auto path = options_.mount.below(request.path());
  if (!path) return not_found(request.path());
  const bool reads = request.method == http::Method::Get || request.method == http::Method::Head;
  if (options_.posts.contains(*path)) return take(*path, request);
  return reads ? read(*path, request) : method_not_allowed(false);
}

http::Response Site::take(std::string_view path, const http::Request& request) const {
  if (request.method != http::Method::Post) return method_not_allowed(true);
  return options_.posts.find(path)->second(request);
}

// What operators read: it tells of repositories and of peers.
std::optional<http::Response> Site::refuse_status(std::string_view path,
                                                  const http::Request& request) const {
  const bool is_status = path == "/metrics" || options_.more_pages.contains(path);
  if (!is_status || (options_.status_token.empty() && !options_.is_private)) return std::nullopt;
  if (options_.status_token.empty()) return not_found(request.path());
  const auto given = request.headers.get("Authorization").value_or("");
  const std::string wanted = "Bearer " + options_.status_token;
  if (core::sha256(given) == core::sha256(wanted)) return std::nullopt;  // tells no time
  auto refusal = http::text_response(401, "A bearer token is required here.\n");
  refusal.headers.add("WWW-Authenticate", "Bearer");
  return refusal;
}

http::Response Site::read(std::string_view path, const http::Request& request) const {
  if (auto refusal = refuse_status(path, request)) return *std::move(refusal);
  if (path == "/.well-known/nostr.json" && options_.mount.is_root()) {
    auto body = fmt::format(R"({{"names":{{"_":"{}"}}}})", options_.identity.pubkey.hex());
    return typed("application/json; charset=utf-8", std::move(body));
  }
  if (path == "/" && wants_information(request)) return typed(kInformationType, information_);
  if (path == "/") return options_.start_page();
  if (path == "/healthz") return http::text_response(200, "ok\n");
  if (path == "/readyz") return readiness();
  if (path == "/metrics") return metrics();
  if (path == "/icon.png" || path == "/favicon.ico") return icon(request.path());
  if (path == "/robots.txt") return robots();
  const auto more = options_.more_pages.find(path);
  if (more != options_.more_pages.end()) return more->second(request);
  return not_found(request.path());
}

http::Response Site::readiness() const {
  auto trouble = options_.trouble();
  return trouble ? http::text_response(503, *trouble + "\n") : http::text_response(200, "ready\n");
}

http::Response Site::metrics() const {
  if (!options_.metrics) return http::text_response(404, "Metrics disabled\n");
  return typed(metrics::kContentType, options_.metrics());
}

http::Response Site::icon(std::string_view path) const {
  if (options_.icon.empty()) return not_found(path);
  auto response = typed("image/png", options_.icon);
  response.headers.add("Cache-Control", "max-age=86400");
  return response;
}

// Pages may be found by everyone; what git and programs read is of no use to a search engine.
http::Response Site::robots() const {
  const std::string mount = options_.mount.is_root() ? "" : options_.mount.text();
  std::string text = "User-agent: *\n";
  for (const char* path : {"/*.git/info/", "/*.git/git-upload-pack", "/*.git/git-receive-pack",
                           "/*.git/objects/", "/prs/", "/api/", "/metrics", "/healthz", "/readyz"})
    text += fmt::format("Disallow: {}{}\n", mount, path);
  auto response = http::text_response(200, std::move(text));
  response.headers.add("Cache-Control", "max-age=86400");
  return response;
}

http::Response Site::not_found(std::string_view path) const {
  auto body = fmt::format(
      "<h1>Not found</h1>\n<p>There is nothing at <code>{}</code>.</p>\n"
      "<p><a href=\"{}\">To the start page</a></p>\n",
      http::escape(path.substr(0, 200)), http::escape(options_.mount.text()));
  return http::page_response(404, "Not found", body);
}

}  // namespace graspd::serve
