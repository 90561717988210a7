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
constexpr std::size_t kServedViewsMax = 16;
// Views whose ruling state is looked for; their people's own come first.
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
  Wishes(const grasp::PolicySnapshot& policy, const grasp::Identifier& identifier,
         const grasp::Service& own)
      : policy_(policy), identifier_(identifier), own_(own) {
    for (const Coordinate& view : policy.catalog().views(identifier))
      if (policy.is_open(view)) views_.push_back(view);
    std::ranges::stable_partition(
        views_, [&](const Coordinate& view) { return policy.catalog().rules_itself(view); });
  }

  std::vector<FetchWant> all() {
    for (const auto* held : policy_.purgatory().states(identifier_)) add_waiting(*held);
    const auto served = std::min(views_.size(), kServedViewsMax);
    for (std::size_t i = 0; i < served; ++i) add_served(views_[i]);
    for (const nostr::EventId& id : policy_.purgatory().pulls(identifier_, kPullsMax)) add_pull(id);
    return std::move(wishes_);
  }

 private:
  void add_waiting(const grasp::HeldState& held) {  // R1
    if (!held.state.satisfiable || held.state.refs.empty()) return;
    const auto view = view_for(held.state);
    if (view) add(*view, held.state.id, Reason::State, oids_of(held.state.refs), {}, held.synced);
  }

  std::optional<Coordinate> view_for(const grasp::RepoState& state) const {
    auto allowed = policy_.catalog().views_ruled_by(state.author, identifier_);
    std::erase_if(allowed, [&](const Coordinate& view) { return !policy_.is_open(view); });
    const auto nearest = std::span(allowed).first(std::min(allowed.size(), kNearestMax));
    const auto ruled = std::ranges::find_if(nearest, [&](const Coordinate& view) {
      const auto ruling = policy_.ruling(view);
      return ruling && ruling->version.id == state.id;
    });
    if (ruled != nearest.end()) return *ruled;
    return allowed.empty() ? std::nullopt : std::optional(allowed.front());
  }

  void add_served(const Coordinate& view) {  // R3
    const auto ruling = policy_.ruling(view);
    if (!ruling || ruling->waiting || !policy_.is_open(view)) return;
    add(view, ruling->version.id, Reason::Repair, {}, {}, true);
    wishes_.back().served_state = ruling->version.id;
  }

  void add_pull(const nostr::EventId& id) {  // R2
    const auto* held = policy_.purgatory().pull(id);
    if (!held || !held->pull.commit) return;
    for (const Coordinate& view : policy_.views_of(held->pull)) {
      if (!policy_.is_open(view)) continue;
      if (view.identifier == identifier_)
        add(view, id, Reason::PullRequest, {*held->pull.commit}, held->pull.clone, held->synced);
      return;
    }
  }

  void add(const Coordinate& view, const nostr::EventId& id, Reason reason,
           std::vector<git::Oid> oids, const std::vector<std::string>& clone, bool synced) {
    FetchWant wish{view, {{view.path()}, {id.hex()}, reason, std::move(oids), {}, synced}};
    wish.wanted.sources = fetch_sources_of(clone, {}, own_);
    for (const Source& source : fetch_sources_of(policy_, view, own_))
      wish.wanted.sources.push_back(source);
    wishes_.push_back(std::move(wish));
  }

  const grasp::PolicySnapshot& policy_;
  const grasp::Identifier& identifier_;
  const grasp::Service& own_;
  std::vector<Coordinate> views_;
  std::vector<FetchWant> wishes_;
};

// R5
class Absence {
 public:
  core::Result<std::vector<git::Oid>, std::string> of(const Hosting& hosting,
                                                      const FetchWant& wish) {
    const auto path = hosting.shown(wish.view);
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

std::vector<Source> fetch_sources_of(const grasp::PolicySnapshot& policy, const Coordinate& view,
                                     const grasp::Service& own) {  // R4
  std::vector<Source> sources;
  const auto append = [&](const Coordinate& coordinate) {
    const grasp::Listing* listing = policy.catalog().find(coordinate);
    if (!listing) return;
    const auto& announced = listing->announcement;
    for (const Source& source : fetch_sources_of(announced.clone, announced.relays, own))
      if (sources.size() < kSourcesMax) sources.push_back(source);
  };
  append(view);
  for (const nostr::PublicKey& member : policy.catalog().authority(view).members)
    if (member != view.owner) append({member, view.identifier});
  return sources;
}

std::vector<FetchWant> fetch_wants(const grasp::PolicySnapshot& policy,
                                   const grasp::Identifier& identifier, const grasp::Service& own) {
  return Wishes(policy, identifier, own).all();
}

void read_served_states(const store::EventStore& store, std::vector<FetchWant>& wants) {
  std::erase_if(wants, [&](FetchWant& want) {
    if (!want.served_state) return false;
    const auto state = stored_state(store, *want.served_state);
    if (!state || !state->satisfiable || state->refs.empty()) return true;
    want.wanted.missing = oids_of(state->refs);
    return false;
  });
}

std::vector<FetchWant> survey(Hosting& hosting, const grasp::Identifier& identifier,
                              const grasp::Service& own) {
  auto wishes = fetch_wants(*hosting.known(), identifier, own);
  read_served_states(hosting.store, wishes);
  std::set<git::fetch::EventKey> seen;
  std::vector<FetchWant> missed;
  Absence absence;
  for (FetchWant& wish : wishes) {
    auto missing = absence.of(hosting, wish);
    if (!missing)
      core::log::debug("cannot look into {}: {}", hosting.key(wish.view), missing.error());
    if (!missing || !seen.insert(wish.wanted.event).second) continue;  // the first view counts
    wish.wanted.missing = *std::move(missing);
    if (!wish.wanted.missing.empty()) missed.push_back(std::move(wish));
  }
  return missed;
}

}  // namespace graspd::serve
