#include "serve/fetch/fetch_survey.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <span>

#include "core/log.h"
#include "core/url.h"
#include "gitio/missing.h"
#include "serve/host/stored_events.h"

namespace graspd::serve {
namespace {

using git::fetch::Reason;
using git::fetch::Source;
using grasp::Coordinate;

// Announcements are bounded in bytes; these may name thousands all the same.
constexpr std::size_t kSourcesMax = 64;
// Anybody may point an announcement at a fetch_source; those with a say of their own come first.
constexpr std::size_t kServedReposMax = 16;
// Repositories whose ruling state is looked for; their people's own come first.
constexpr std::size_t kNearestMax = 16;
// Of an identifier that are fetched at a time. Anybody may send thousands; the policy is not held
// up to list them all.
constexpr std::size_t kPullsMax = 256;
constexpr core::Duration kTornSearchPatience = std::chrono::minutes(10);

bool names_repository(std::string_view path) {
  const auto last = path.rfind('/');
  if (last == std::string_view::npos || last == 0 || !path.ends_with(".git")) return false;
  const auto before = path.rfind('/', last - 1);
  return before != std::string_view::npos && path.substr(before + 1).starts_with("npub1");
}

std::vector<git::Oid> oids_of(const git::Refs& refs) {
  std::set<git::Oid> oids;
  for (const auto& [ref, oid] : refs) oids.insert(oid);
  return {oids.begin(), oids.end()};
}

class Wishes {
 public:
  Wishes(const grasp::PolicySnapshot& policy, const store::EventStore& store,
         const grasp::Identifier& identifier, const grasp::Service& own)
      : policy_(policy), store_(store), identifier_(identifier), own_(own) {
    for (const Coordinate& coordinate : policy.catalog().repos(identifier))
      if (policy.is_open(coordinate)) coordinates_.push_back(coordinate);
    std::ranges::stable_partition(coordinates_, [&](const Coordinate& coordinate) {
      return policy.catalog().rules_itself(coordinate);
    });
  }

  std::vector<FetchWant> all() {
    for (const auto* held : policy_.purgatory().states().of(identifier_)) add_waiting(*held);
    const auto served = std::min(coordinates_.size(), kServedReposMax);
    for (std::size_t i = 0; i < served; ++i) add_served(coordinates_[i]);
    for (const nostr::EventId& id : policy_.purgatory().pulls().of(identifier_, kPullsMax))
      add_pull(id);
    return std::move(wishes_);
  }

 private:
  void add_waiting(const grasp::HeldState& held) {  // R1
    if (!held.state.satisfiable || held.state.refs.empty()) return;
    const auto coordinate = repo_for(held.state);
    if (coordinate)
      add(*coordinate, held.state.id, Reason::State, oids_of(held.state.refs), {}, held.synced);
  }

  std::optional<Coordinate> repo_for(const grasp::RepoState& state) const {
    auto allowed = policy_.catalog().repos_ruled_by(state.author, identifier_);
    std::erase_if(allowed,
                  [&](const Coordinate& coordinate) { return !policy_.is_open(coordinate); });
    const auto nearest = std::span(allowed).first(std::min(allowed.size(), kNearestMax));
    const auto ruled = std::ranges::find_if(nearest, [&](const Coordinate& coordinate) {
      const auto ruling = policy_.ruling(coordinate);
      return ruling && ruling->version.id == state.id;
    });
    if (ruled != nearest.end()) return *ruled;
    return allowed.empty() ? std::nullopt : std::optional(allowed.front());
  }

  void add_served(const Coordinate& coordinate) {  // R3
    const auto ruling = policy_.ruling(coordinate);
    if (!ruling || ruling->waiting || !policy_.is_open(coordinate)) return;
    const auto state = stored_state(store_, ruling->version.id);
    if (!state || !state->satisfiable || state->refs.empty()) return;
    add(coordinate, state->id, Reason::Repair, oids_of(state->refs), {}, true);
  }

  void add_pull(const nostr::EventId& id) {  // R2
    const auto* held = policy_.purgatory().pull(id);
    if (!held || !held->pull.commit) return;
    for (const Coordinate& coordinate : policy_.repos_of(held->pull)) {
      if (!policy_.is_open(coordinate)) continue;
      if (coordinate.identifier == identifier_)
        add(coordinate, id, Reason::PullRequest, {*held->pull.commit}, held->pull.clone,
            held->synced);
      return;
    }
  }

  void add(const Coordinate& coordinate, const nostr::EventId& id, Reason reason,
           std::vector<git::Oid> oids, const std::vector<std::string>& clone, bool synced) {
    FetchWant wish{coordinate,
                   {{coordinate.path()}, {id.hex()}, reason, std::move(oids), {}, synced}};
    wish.wanted.sources = fetch_sources_of(clone, {}, own_);
    for (const Source& source : fetch_sources_of(policy_, coordinate, own_))
      wish.wanted.sources.push_back(source);
    wishes_.push_back(std::move(wish));
  }

  const grasp::PolicySnapshot& policy_;
  const store::EventStore& store_;
  const grasp::Identifier& identifier_;
  const grasp::Service& own_;
  std::vector<Coordinate> coordinates_;
  std::vector<FetchWant> wishes_;
};

// R5
class Absence {
 public:
  core::Result<std::vector<git::Oid>, std::string> of(const Hosting& hosting,
                                                      const FetchWant& wish) {
    const auto path = hosting.shown(wish.coordinate);
    const bool waits = wish.wanted.reason != Reason::Repair;
    if (!waits || looked_into_++ >= kHistoriesMax) return gitio::missing(path, wish.wanted.missing);
    return gitio::lacking(path, wish.wanted.missing, kTornSearchPatience);
  }

 private:
  // States come first; of pull requests anybody may send thousands.
  static constexpr std::size_t kHistoriesMax = 64;
  std::size_t looked_into_ = 0;
};

}  // namespace

Source fetch_source_of(const git::FetchUrl& url, const std::vector<std::string>& relays) {
  const auto parsed = core::Url::parse(url.text());
  if (!parsed || !names_repository(parsed->path)) return {url, false};
  const bool listed = std::ranges::any_of(relays, [&](const std::string& text) {
    const auto relay = core::Url::parse(text);
    return relay && relay->host == url.host() && relay->effective_port() == url.port();
  });
  return {url, listed};
}

std::vector<Source> fetch_sources_of(const std::vector<std::string>& clone,
                                     const std::vector<std::string>& relays,
                                     const grasp::Service& own) {
  std::vector<Source> sources;
  for (const std::string& text : clone) {
    const auto url = git::FetchUrl::parse(text);
    if (!url || grasp::names_service(url->text(), own)) continue;
    sources.push_back(fetch_source_of(*url, relays));
    if (sources.size() == kSourcesMax) break;
  }
  return sources;
}

std::vector<Source> fetch_sources_of(const grasp::PolicySnapshot& policy,
                                     const Coordinate& coordinate,
                                     const grasp::Service& own) {  // R4
  std::vector<Source> sources;
  const auto append = [&](const Coordinate& announced_at) {
    const grasp::Listing* listing = policy.catalog().find(announced_at);
    if (!listing) return;
    const auto& announced = listing->announcement;
    for (const Source& source : fetch_sources_of(announced.clone, announced.relays, own))
      if (sources.size() < kSourcesMax) sources.push_back(source);
  };
  append(coordinate);
  for (const nostr::PublicKey& member : policy.catalog().authority(coordinate).members)
    if (member != coordinate.owner) append({member, coordinate.identifier});
  return sources;
}

std::vector<FetchWant> fetch_wants(const grasp::PolicySnapshot& policy,
                                   const store::EventStore& store,
                                   const grasp::Identifier& identifier, const grasp::Service& own) {
  return Wishes(policy, store, identifier, own).all();
}

std::vector<FetchWant> survey(Hosting& hosting, const grasp::Identifier& identifier,
                              const grasp::Service& own) {
  auto wishes = fetch_wants(*hosting.known(), hosting.store, identifier, own);
  std::set<git::fetch::EventKey> seen;
  std::vector<FetchWant> missed;
  Absence absence;
  for (FetchWant& wish : wishes) {
    auto missing = absence.of(hosting, wish);
    if (!missing)
      core::log::debug("cannot look into {}: {}", hosting.key(wish.coordinate), missing.error());
    if (!missing || !seen.insert(wish.wanted.event).second)
      continue;  // the first repository counts
    wish.wanted.missing = *std::move(missing);
    if (!wish.wanted.missing.empty()) missed.push_back(std::move(wish));
  }
  return missed;
}

}  // namespace graspd::serve
