#include "grasp/service.h"

#include <algorithm>

#include "core/percent.h"
#include "core/url.h"
#include "nostr/nip19.h"

namespace graspd::grasp {
namespace {

enum class Use { Clone, Relay, Any };

bool may_have_scheme(Use use, std::string_view scheme) {
  const bool is_http = scheme == "http" || scheme == "https";
  const bool is_ws = scheme == "ws" || scheme == "wss";
  return is_http || (is_ws && use != Use::Clone);
}

// R2
bool is_at_our_port(const core::Url& url, const Service& service) {
  if (service.port) return url.effective_port() == service.port;
  core::Url without_port = url;
  without_port.port.reset();
  return url.effective_port() == without_port.effective_port();
}

// The path below the mount, empty or beginning with '/'; nullopt when it lies elsewhere.
std::optional<std::string> path_below(const core::Url& url, const Service& service) {
  if (!url.path.starts_with(service.mount)) return std::nullopt;
  std::string rest = url.path.substr(service.mount.size());
  if (!rest.empty() && rest.front() != '/') return std::nullopt;
  return rest;
}

// Where on our service the URL points; nullopt when it names another.
std::optional<std::string> place_of(std::string_view text, const Service& service, Use use) {
  auto url = core::Url::parse(text);
  if (!url) return std::nullopt;
  if (url->scheme.empty()) url->scheme = "https";
  if (!may_have_scheme(use, url->scheme) || url->host != service.host) return std::nullopt;
  if (!is_at_our_port(*url, service)) return std::nullopt;
  if (use != Use::Any && !(url->query.empty() && url->fragment.empty())) return std::nullopt;
  return path_below(*url, service);
}

bool is_dot_segment(std::string_view segment) {
  const auto decoded = core::percent_decode(segment);
  return !decoded || *decoded == "." || *decoded == "..";
}

bool has_dot_segment(std::string_view path) {
  while (!path.empty()) {
    path.remove_prefix(1);  // its slash
    const auto segment = path.substr(0, path.find('/'));
    if (is_dot_segment(segment)) return true;
    path.remove_prefix(segment.size());
  }
  return false;
}

bool names_key(std::string_view segment, const nostr::PublicKey& key) {
  return nostr::nip19::parse_npub(segment) == key || nostr::PublicKey::from_hex(segment) == key;
}

// R4
bool names_repository(std::string_view place, const Coordinate& coordinate) {
  if (place.ends_with('/')) place.remove_suffix(1);
  if (!place.starts_with('/')) return false;
  place.remove_prefix(1);
  const auto slash = place.find('/');
  if (slash == std::string_view::npos) return false;
  return names_key(place.substr(0, slash), coordinate.owner) &&
         parse_repository_segment(place.substr(slash + 1)) == coordinate.identifier;
}

}  // namespace

std::optional<Service> Service::parse(std::string_view domain, std::string_view base_path) {
  if (domain.ends_with('/')) domain.remove_suffix(1);
  auto url = core::Url::parse(domain);
  if (!url || !base_path.starts_with('/') || has_dot_segment(base_path)) return std::nullopt;
  const bool is_bare =
      url->scheme.empty() && url->path.empty() && url->query.empty() && url->fragment.empty();
  if (!is_bare) return std::nullopt;
  Service service;
  service.host = std::move(url->host);
  service.port = url->port;
  if (base_path.ends_with('/')) base_path.remove_suffix(1);
  service.mount = base_path;
  return service;
}

bool names_service(std::string_view url, const Service& service) {
  const auto place = place_of(url, service, Use::Any);
  return place && !has_dot_segment(*place);
}

bool names_relay(std::string_view url, const Service& service) {
  const auto place = place_of(url, service, Use::Relay);
  return place && (place->empty() || *place == "/");
}

bool names_clone(std::string_view url, const Service& service, const Coordinate& coordinate) {
  const auto place = place_of(url, service, Use::Clone);
  if (!place) return false;
  if (!service.clone_path_must_name_repository) return !has_dot_segment(*place);
  return names_repository(*place, coordinate);
}

std::optional<std::string> clone_place(std::string_view url, const Service& service) {
  return place_of(url, service, Use::Clone);
}

bool lists_service(const Announcement& announcement, const Service& service) {
  const auto is_clone = [&](const std::string& url) {
    return names_clone(url, service, announcement.coordinate);
  };
  const auto is_relay = [&](const std::string& url) { return names_relay(url, service); };
  return std::any_of(announcement.clone.begin(), announcement.clone.end(), is_clone) &&
         std::any_of(announcement.relays.begin(), announcement.relays.end(), is_relay);
}

}  // namespace graspd::grasp
