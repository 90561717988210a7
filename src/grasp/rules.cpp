#include "grasp/rules.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>

#include "core/hex.h"
#include "core/sha256.h"
#include "grasp/pr_repository.h"

namespace graspd::grasp {
namespace {

// Changes with what is refused, and why: what an older program refused may then come again.
constexpr int kRulesVersion = 1;

}  // namespace

void Rules::use(AccessLists lists) {
  options_.repository_whitelist = std::move(lists.repository_whitelist);
  options_.repository_blacklist = std::move(lists.repository_blacklist);
  options_.event_blacklist = std::move(lists.event_blacklist);
  options_.archive.whitelist = std::move(lists.archive_whitelist);
}

void Rules::use_members(std::set<nostr::PublicKey> members) {
  options_.members = std::move(members);
}

std::string Rules::text() const {
  const Service& service = options_.service;
  std::string members;
  if (is_private())
    for (const nostr::PublicKey& key : *options_.members) members += "\nmember " + key.hex();
  std::string text =
      fmt::format("{} {} {} {} {} {} {} {} {} {} {}\n{}\n{}\n{}\n{}", kRulesVersion, service.host,
                  service.port.value_or(0), service.mount, service.clone_path_must_name_repository,
                  options_.relay ? options_.relay->text() : "-", options_.operator_key.hex(),
                  static_cast<int>(options_.membership), options_.pr_repositories,
                  options_.listed_max, options_.members_max, options_.repository_whitelist.text(),
                  options_.repository_blacklist.text(), options_.event_blacklist.text(),
                  options_.archive.text());
  for (const Service& former : options_.former_services)
    text += fmt::format("\n{} {}", former.host, former.port.value_or(0));
  if (options_.ignores_requests) text += "\nrequests are ignored";
  return core::encode_hex(core::sha256(text + members));
}

bool Rules::lists_us(const Announcement& announced) const {
  const auto is_listed = [&](const Service& service) { return lists_service(announced, service); };
  return !options_.archive.read_only &&
         (is_listed(options_.service) || std::ranges::any_of(options_.former_services, is_listed));
}

bool Rules::is_host_of(const Announcement& announced) const {
  return lists_us(announced) || options_.archive.wants(announced);
}

bool Rules::is_unwelcome(const Announcement& announced) const {
  const Coordinate& coordinate = announced.coordinate;
  if (options_.repository_blacklist.matches(coordinate)) return true;
  return !options_.repository_whitelist.empty() && lists_us(announced) &&
         !options_.repository_whitelist.matches(coordinate);
}

bool Rules::is_too_far_ahead(core::UnixSeconds created_at, core::UnixSeconds now) const {
  return options_.created_at_ahead > 0 && created_at > now + options_.created_at_ahead;
}

bool Rules::takes_pr_repository(const Coordinate& pr_repository) const {
  return options_.pr_repositories &&
         !options_.event_blacklist.matches_author(pr_repository.owner) &&
         !options_.repository_blacklist.matches(pr_repository);
}

std::vector<Coordinate> Rules::pr_repositories_of(const PullRequest& pull) const {
  if (!options_.pr_repositories) return {};
  auto pr_repositories = pr_repositories_for(pull, options_.service);
  const auto is_wanted = [&](const Coordinate& pr_repository) {
    const auto is_named = [&](const Coordinate& repository) {
      return repository.identifier == pr_repository.identifier &&
             !options_.repository_blacklist.matches(repository);
    };
    return takes_pr_repository(pr_repository) && std::ranges::any_of(pull.repositories, is_named);
  };
  std::erase_if(pr_repositories, std::not_fn(is_wanted));
  return pr_repositories;
}

std::optional<std::string> Rules::pr_repository_fault(const PullRequest& pull,
                                                      const Coordinate& pr_repository,
                                                      const git::Oid& commit) const {
  return grasp::pr_repository_fault(pull, pr_repository, commit, options_.service);
}

}  // namespace graspd::grasp
