// What a browser is shown at the address of a repository.
#include "gitio/repository.h"
#include "http/redirect.h"
#include "net/clock.h"
#include "net/later.h"
#include "serve/git/git_server.h"

namespace graspd::serve {
namespace {

using net::Exchange;

constexpr std::string_view kPrRepositoryPage =
    "The owner of this address submits pull requests for a repository on another server "
    "here.\nPush a commit to refs/nostr/<event id>; it can be fetched once its event is "
    "published.\n";

// What is signed of it; the rest is on disk.
std::optional<grasp::RepositoryCard> announced_card(const grasp::PolicySnapshot& policy,
                                                    const grasp::Coordinate& repository) {
  if (!policy.is_open(repository)) return std::nullopt;
  const grasp::Listing& listing = *policy.catalog().find(repository);
  grasp::RepositoryCard made{listing.announcement, listing.place};
  const grasp::Authority& authority = policy.catalog().authority(repository);
  if (authority.root) made.maintainers.push_back(*authority.root);
  for (const auto& member : authority.members)
    if (member != authority.root) made.maintainers.push_back(member);
  if (authority.failure) made.no_authority = describe(*authority.failure);
  if (const auto state = policy.catalog().served_state(repository))
    made.state_since = state->created_at;
  return made;
}

}  // namespace

std::optional<http::Response> GitServer::moved(const http::Request& request) const {
  const auto below = options_.mount.below(request.path());
  const auto path = below ? path_with_git(*below, request.method) : std::nullopt;
  if (!path) return std::nullopt;
  const std::string mount = options_.mount.is_root() ? "" : options_.mount.text();
  const std::string query = request.query().empty() ? "" : "?" + std::string(request.query());
  return http::moved_response(mount + *path + query);
}

net::Task<void> GitServer::show_page(std::shared_ptr<Exchange> exchange) {
  if (auto elsewhere = moved(exchange->request())) {
    auto redirect = *std::move(elsewhere);
    co_await exchange->respond(std::move(redirect));
    co_return;
  }
  const auto where = route(exchange->request());
  if (where && where->pr_repository) {
    auto pr_repository = http::text_response(200, std::string(kPrRepositoryPage));
    co_await exchange->respond(std::move(pr_repository));
    co_return;
  }
  std::optional<grasp::RepositoryCard> shown;
  net::PostFn post = [this](auto job) { host_.workers().post(std::move(job)); };
  if (where)
    shown = co_await net::away(std::move(post), [this, &where] { return card(where->coordinate); });
  auto page = options_.page(shown, exchange->request().path());
  co_await exchange->respond(std::move(page));
}

std::optional<grasp::RepositoryCard> GitServer::card(const grasp::Coordinate& repo) {
  auto card = announced_card(*host_.hosting().known(), repo);
  if (!card) return card;
  card->taken_at = net::now().unix_seconds;
  if (options_.inspector) card->health = options_.inspector->health(repo);
  const auto repository = gitio::Repository::open(host_.hosting().shown(repo));
  const auto refs =
      repository ? repository->heads_and_tags() : core::Result<git::Refs, std::string>(git::Refs());
  if (repository) card->head = repository->head();
  if (refs)
    for (const auto& [ref, oid] : *refs)
      (ref.space() == git::RefName::Space::Heads ? card->branches : card->tags).emplace(ref, oid);
  return card;
}

}  // namespace graspd::serve
