// Where people submit pull requests for repositories that other servers host (GRASP-06). A
// PR repository belongs to one person and one identifier. It is named like a repository of that
// person, but it is not one.
//
//   R1  Its URL is exactly mount + /prs/<npub>/<identifier>.git, with the scheme http or https and
//       our host and port, without query, fragment or trailing slash.
//   R2  A pull request is for a PR repository when its signer owns it, one of its repositories has
//       the identifier, and one of its clone values is the PR repository's URL.
//   R3  Only the commit that such a pull request names may be pushed into a PR repository.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grasp/pull_request.h"
#include "grasp/service.h"

namespace graspd::grasp {

std::optional<Coordinate> pr_repository_at(std::string_view clone_url,
                                           const Service& service);  // R1

// R2, each once
std::vector<Coordinate> pr_repositories_for(const PullRequest& pull, const Service& service);

// Why this commit cannot be pushed into the PR repository for the pull request, for the person who
// pushes; nullopt: it can.
std::optional<std::string> pr_repository_fault(const PullRequest& pull,
                                               const Coordinate& pr_repository,
                                               const git::Oid& commit, const Service& service);

std::string pr_repository_path(
    const Coordinate& pr_repository);  // "prs/<hex>/<identifier>.git": the layout on disk
// The other way round, from the names of the two folders.
std::optional<Coordinate> parse_pr_repository_path(std::string_view hex, std::string_view folder);

}  // namespace graspd::grasp
