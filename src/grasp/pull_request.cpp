#include "grasp/pull_request.h"

#include <algorithm>

#include "core/check.h"

namespace graspd::grasp {
namespace {

// R1
std::vector<Coordinate> read_repositories(const nostr::Event& event) {
  std::vector<Coordinate> repositories;
  for (const nostr::Tag tag : event.tags) {
    if (tag.letter() != 'a') continue;
    const auto address = nostr::Address::parse(tag.value());
    auto repository = address ? Coordinate::from_address(*address) : std::nullopt;
    if (!repository) continue;
    const bool is_known =
        std::find(repositories.begin(), repositories.end(), *repository) != repositories.end();
    if (!is_known) repositories.push_back(*std::move(repository));
    if (repositories.size() == kRepositoriesMax) break;
  }
  return repositories;
}

std::vector<std::string> read_clone(const nostr::Event& event) {
  std::vector<std::string> urls;
  for (const nostr::Tag tag : event.tags) {
    if (tag.name() != "clone") continue;
    for (std::size_t i = 1; i < tag.size(); ++i) {
      if (!tag[i].empty()) urls.emplace_back(tag[i]);
    }
  }
  return urls;
}

// R2
std::optional<git::Oid> read_commit(std::string_view text) {
  const auto commit = git::Oid::parse(text);
  return commit && !commit->is_zero() ? commit : std::nullopt;
}

std::optional<nostr::EventId> read_parent(const nostr::Event& event) {
  if (event.kind != kinds::kPullRequestUpdate) return std::nullopt;
  return nostr::EventId::from_hex(event.tags.first("E").value_or(""));
}

}  // namespace

PullRequest parse_pull_request(const nostr::Event& event) {
  CHECK(event.kind == kinds::kPullRequest || event.kind == kinds::kPullRequestUpdate);
  const auto commit = event.tags.first("c").value_or("");
  return PullRequest{
      .id = event.id,
      .author = event.pubkey,
      .created_at = event.created_at,
      .repositories = read_repositories(event),
      .has_c = !commit.empty(),
      .commit = read_commit(commit),
      .clone = read_clone(event),
      .parent = read_parent(event),
  };
}

}  // namespace graspd::grasp
