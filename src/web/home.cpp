#include "web/home.h"

#include <fmt/format.h>

#include "core/percent.h"
#include "nostr/nip19.h"

namespace graspd::web {
namespace {

constexpr std::string_view kGitworkshop = "https://gitworkshop.dev/";

std::string relay_hint(const nostr::RelayUrl& relay) {
  constexpr std::string_view kUsual = "wss://";
  const std::string_view text = relay.text();
  return core::percent_encode(text.starts_with(kUsual) ? text.substr(kUsual.size()) : text);
}

}  // namespace

std::string Home::path(std::string_view below) const {
  return (mount.is_root() ? "" : mount.text()) + std::string(below);
}

std::string Home::url(std::string_view below) const {
  const std::string_view after_scheme =
      std::string_view(relay.text()).substr(relay.is_secure() ? 3 : 2);
  return fmt::format("{}{}{}", relay.is_secure() ? "https" : "http", after_scheme, below);
}

std::string Home::page_path(const grasp::Coordinate& repository) const {
  return path(repository.url_path());
}

std::string Home::clone_url(const grasp::Coordinate& repository) const {
  return url(repository.url_path());
}

std::string Home::names(const grasp::Coordinate& repository) const {
  return fmt::format("{}/{}/{}", nostr::nip19::npub(repository.owner), relay_hint(relay),
                     core::percent_encode(repository.identifier.text()));
}

std::string Home::nostr_url(const grasp::Coordinate& repository) const {
  return "nostr://" + names(repository);
}

std::string Home::gitworkshop_url(const grasp::Coordinate& repository) const {
  return std::string(kGitworkshop) + names(repository);
}

std::string gitworkshop_url(const nostr::PublicKey& person) {
  return std::string(kGitworkshop) + nostr::nip19::npub(person);
}

}  // namespace graspd::web
