// Where people hand in pull requests for repositories that other servers host (GRASP-06). A tray is
// one person's, for the repositories of one identifier; it is named like a repository of theirs,
// but it is none.
//
//   R1  Its URL is mount + /prs/<npub>/<identifier>.git, exactly: with http or https said, at our
//       host and port, with no query, fragment or slash at the end.
//   R2  A pull request is for a tray when its signer owns it, one of its repositories has the
//       identifier, and one of its clone values is the tray's URL.
//   R3  What is pushed into a tray is the commit that such a pull request names.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grasp/pull_request.h"
#include "grasp/service.h"

namespace graspd::grasp {

std::optional<Coordinate> tray_at(std::string_view clone_url, const Service& service);  // R1

// R2, each once
std::vector<Coordinate> trays_for(const PullRequest& pull, const Service& service);

// Why this commit cannot be pushed into the tray for the pull request, for the person who pushes;
// nullopt: it can.
std::optional<std::string> tray_fault(const PullRequest& pull, const Coordinate& tray,
                                      const git::Oid& commit, const Service& service);

std::string tray_path(const Coordinate& tray);  // "prs/<hex>/<identifier>.git": the layout on disk
// The other way round, from the names of the two folders.
std::optional<Coordinate> parse_tray_path(std::string_view hex, std::string_view folder);

}  // namespace graspd::grasp
