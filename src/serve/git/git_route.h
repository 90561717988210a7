// Which repository a request is about, and which resource of it. Pure.
//
//   R1  /<npub>/<identifier>.git, with or without a trailing slash, is the repository's page; below
//       it are info/refs, git-upload-pack and git-receive-pack. There is no dumb HTTP.
//       /prs/<npub>/<identifier>.git is a PR repository (grasp/pr_repository.h) with the same
//       resources, if PR repositories are enabled. The address without `.git` redirects, because
//       people type it and git follows a redirect of its first request.
//   R2  Segments are split before they are decoded, and decoded once (grasp::Coordinate).
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "grasp/coordinate.h"
#include "http/message.h"

namespace graspd::serve {

enum class GitAsk { Page, AdvertiseUpload, AdvertiseReceive, Upload, Receive, Unknown };

struct GitRoute {
  grasp::Coordinate coordinate;
  GitAsk ask = GitAsk::Unknown;
  bool pr_repository = false;
};

// `path` begins with '/', without the mount.
std::optional<GitRoute> git_route(std::string_view path, std::string_view query,
                                  http::Method method, bool with_pr_repositories = false);
// Where a path that lacks `.git` should have led, below the mount; nullopt: nowhere.
std::optional<std::string> path_with_git(std::string_view path, http::Method method);
// Does the path look like that of a repository: an npub, then something? Then an answer speaks of
// repositories, also when there is none.
bool looks_like_repository(std::string_view path);
bool looks_like_pr_repository(std::string_view path);

}  // namespace graspd::serve
