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

bool names_pr_repository(const PullRequest& pull, const Coordinate& pr_repository,
                         const Service& service) {
  return std::ranges::any_of(pull.clone, [&](const std::string& url) {
    return pr_repository_at(url, service) == pr_repository;
  });
}

}  // namespace

std::optional<Coordinate> pr_repository_at(std::string_view url, const Service& service) {
  if (url.find_first_of("?#") != url.npos || !has_scheme(url)) return std::nullopt;
  const auto place = clone_place(url, service);
  if (!place || !place->starts_with(kFolder)) return std::nullopt;
  const std::string_view rest = std::string_view(*place).substr(kFolder.size());
  const auto slash = rest.find('/');
  if (slash == rest.npos) return std::nullopt;
  return Coordinate::from_url_path(rest.substr(0, slash), rest.substr(slash + 1));
}

std::vector<Coordinate> pr_repositories_for(const PullRequest& pull, const Service& service) {
  std::vector<Coordinate> pr_repositories;
  for (const std::string& url : pull.clone) {
    auto pr_repository = pr_repository_at(url, service);
    const bool fits = pr_repository && pr_repository->owner == pull.author &&
                      is_about(pull, pr_repository->identifier);
    if (fits && std::ranges::find(pr_repositories, *pr_repository) == pr_repositories.end())
      pr_repositories.push_back(*std::move(pr_repository));
  }
  return pr_repositories;
}

std::optional<std::string> pr_repository_fault(const PullRequest& pull,
                                               const Coordinate& pr_repository,
                                               const git::Oid& commit, const Service& service) {
  const std::string event = "PR event " + pull.id.hex();
  if (pull.commit != commit)
    return fmt::format("{} specifies commit {}, but push contains {}", event,
                       pull.commit ? pull.commit->hex() : "none", commit.hex());
  if (pull.author != pr_repository.owner)
    return event + " is signed by another key than the URL names";
  if (!is_about(pull, pr_repository.identifier))
    return event + " is about another repository than the URL names";
  if (!names_pr_repository(pull, pr_repository, service))
    return event + " has no 'clone' value with this URL";
  return std::nullopt;
}

std::string pr_repository_path(const Coordinate& pr_repository) {
  return fmt::format("prs/{}/{}{}", pr_repository.owner.hex(), pr_repository.identifier.text(),
                     kRepositorySuffix);
}

std::optional<Coordinate> parse_pr_repository_path(std::string_view hex, std::string_view folder) {
  if (!folder.ends_with(kRepositorySuffix)) return std::nullopt;
  const auto owner = nostr::PublicKey::from_hex(hex);
  auto identifier = Identifier::parse(folder.substr(0, folder.size() - kRepositorySuffix.size()));
  if (!owner || !identifier) return std::nullopt;
  return Coordinate{*owner, *std::move(identifier)};
}

}  // namespace graspd::grasp
