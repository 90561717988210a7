#include "grasp/pr_repository.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/url.h"

namespace graspd::grasp {
namespace {

constexpr std::string_view kFolder = "/prs/";

bool has_scheme(std::string_view url) {
  const auto parsed = core::Url::parse(url);
  return parsed && !parsed->scheme.empty();
}

bool is_about(const PullRequest& pull, const Identifier& identifier) {
  return std::ranges::any_of(pull.repositories, [&](const Coordinate& repository) {
    return repository.identifier == identifier;
  });
}

bool names_tray(const PullRequest& pull, const Coordinate& tray, const Service& service) {
  return std::ranges::any_of(pull.clone,
                             [&](const std::string& url) { return tray_at(url, service) == tray; });
}

}  // namespace

std::optional<Coordinate> tray_at(std::string_view url, const Service& service) {
  if (url.find_first_of("?#") != url.npos || !has_scheme(url)) return std::nullopt;
  const auto place = clone_place(url, service);
  if (!place || !place->starts_with(kFolder)) return std::nullopt;
  const std::string_view rest = std::string_view(*place).substr(kFolder.size());
  const auto slash = rest.find('/');
  if (slash == rest.npos) return std::nullopt;
  return Coordinate::from_url_path(rest.substr(0, slash), rest.substr(slash + 1));
}

std::vector<Coordinate> trays_for(const PullRequest& pull, const Service& service) {
  std::vector<Coordinate> trays;
  for (const std::string& url : pull.clone) {
    auto tray = tray_at(url, service);
    const bool fits = tray && tray->owner == pull.author && is_about(pull, tray->identifier);
    if (fits && std::ranges::find(trays, *tray) == trays.end()) trays.push_back(*std::move(tray));
  }
  return trays;
}

std::optional<std::string> tray_fault(const PullRequest& pull, const Coordinate& tray,
                                      const git::Oid& commit, const Service& service) {
  const std::string event = "PR event " + pull.id.hex();
  if (pull.commit != commit)
    return fmt::format("{} specifies commit {}, but push contains {}", event,
                       pull.commit ? pull.commit->hex() : "none", commit.hex());
  if (pull.author != tray.owner) return event + " is signed by another key than the URL names";
  if (!is_about(pull, tray.identifier))
    return event + " is about another repository than the URL names";
  if (!names_tray(pull, tray, service)) return event + " has no 'clone' value with this URL";
  return std::nullopt;
}

std::string tray_path(const Coordinate& tray) {
  return fmt::format("prs/{}/{}{}", tray.owner.hex(), tray.identifier.text(), kRepositorySuffix);
}

std::optional<Coordinate> parse_tray_path(std::string_view hex, std::string_view folder) {
  if (!folder.ends_with(kRepositorySuffix)) return std::nullopt;
  const auto owner = nostr::PublicKey::from_hex(hex);
  auto identifier = Identifier::parse(folder.substr(0, folder.size() - kRepositorySuffix.size()));
  if (!owner || !identifier) return std::nullopt;
  return Coordinate{*owner, *std::move(identifier)};
}

}  // namespace graspd::grasp
