#include "serve/git/git_route.h"

#include <vector>

namespace graspd::serve {
namespace {

constexpr std::string_view kPrRepositories = "/prs/";

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

bool reads(http::Method method) {
  return method == http::Method::Get || method == http::Method::Head;
}

GitAsk advertisement(std::string_view query) {
  for (const auto parameter : split(query, '&')) {
    if (parameter == "service=git-upload-pack") return GitAsk::AdvertiseUpload;
    if (parameter == "service=git-receive-pack") return GitAsk::AdvertiseReceive;
  }
  return GitAsk::Unknown;
}

GitAsk ask_of(const std::vector<std::string_view>& rest, std::string_view query,
              http::Method method) {
  const bool is_page = rest.empty() || (rest.size() == 1 && rest[0].empty());
  if (is_page) return reads(method) ? GitAsk::Page : GitAsk::Unknown;
  if (rest.size() == 2 && rest[0] == "info" && rest[1] == "refs")
    return reads(method) ? advertisement(query) : GitAsk::Unknown;
  if (rest.size() != 1 || method != http::Method::Post) return GitAsk::Unknown;
  if (rest[0] == "git-upload-pack") return GitAsk::Upload;
  if (rest[0] == "git-receive-pack") return GitAsk::Receive;
  return GitAsk::Unknown;
}

}  // namespace

std::optional<GitRoute> git_route(std::string_view path, std::string_view query,
                                  http::Method method, bool with_pr_repositories) {
  if (!path.starts_with('/')) return std::nullopt;
  const bool pr_repository = with_pr_repositories && looks_like_pr_repository(path);
  auto segments = split(path.substr(pr_repository ? kPrRepositories.size() : 1), '/');
  if (segments.size() < 2) return std::nullopt;
  auto coordinate = grasp::Coordinate::from_url_path(segments[0], segments[1]);
  if (!coordinate) return std::nullopt;
  segments.erase(segments.begin(), segments.begin() + 2);
  return GitRoute{*std::move(coordinate), ask_of(segments, query, method), pr_repository};
}

std::optional<std::string> path_with_git(std::string_view path, http::Method method) {
  if (!path.starts_with('/') || !reads(method)) return std::nullopt;
  const auto segments = split(path.substr(1), '/');
  if (segments.size() < 2) return std::nullopt;
  const auto named =
      grasp::Coordinate::from_url_path(segments[0], std::string(segments[1]) + ".git");
  if (!named || grasp::Coordinate::from_url_path(segments[0], segments[1])) return std::nullopt;
  const bool is_page = segments.size() == 2 || (segments.size() == 3 && segments[2].empty());
  if (is_page) return named->url_path();
  const bool is_git = segments.size() == 4 && segments[2] == "info" && segments[3] == "refs";
  if (!is_git) return std::nullopt;
  return named->url_path() + "/info/refs";
}

bool looks_like_pr_repository(std::string_view path) { return path.starts_with(kPrRepositories); }

bool looks_like_repository(std::string_view path) {
  if (!path.starts_with("/npub1")) return false;
  const auto slash = path.find('/', 1);
  return slash != path.npos && slash + 1 < path.size();
}

}  // namespace graspd::serve
