// A look at sync as the tests of pages, metrics and commands show it: made by hand.
#pragma once
#include <string>

#include "sync/sync_report.h"

namespace graspd::sync::testing {

inline constexpr core::UnixSeconds kTakenAt = 1'800'000'000;

// Connected, everything here, live works.
inline RelayStatus well(std::string url) {
  RelayStatus relay;
  relay.url = std::move(url);
  relay.link = LinkState::Connected;
  relay.health = HealthState::Healthy;
  relay.connected_since = kTakenAt - 600;
  relay.uptime_seconds = 600;
  relay.last_alive = kTakenAt - 2;
  relay.last_event = kTakenAt - 30;
  relay.live_subscriptions = 1;
  relay.subscriptions_open = 1;
  relay.live_filters = 4;
  relay.coverage = {98, 100};
  relay.negentropy_works = true;
  relay.meter.dials_succeeded = 1;
  relay.meter.first_seen = 90;
  return relay;
}

inline RelayStatus failing(std::string url, std::string why = "connection refused") {
  RelayStatus relay;
  relay.url = std::move(url);
  relay.health = HealthState::Degraded;
  relay.why = std::move(why);
  relay.failures = 3;
  relay.problem = DialProblem::Network;
  relay.next_try = kTakenAt + 20;
  relay.last_alive = kTakenAt - 3600;
  relay.meter.dials_failed = 3;
  return relay;
}

inline RelayStatus syncing(std::string url) {
  RelayStatus relay = well(std::move(url));
  relay.link = LinkState::Syncing;
  BatchStatus batch;
  batch.id = 1;
  batch.items = 10;
  batch.requests_done = 3;
  batch.requests_left = 5;
  batch.method = Job::Method::Reconcile;
  batch.arrived = 120;
  relay.batches.push_back(batch);
  return relay;
}

inline RelayStatus with_gap(std::string url) {
  RelayStatus relay = well(std::move(url));
  relay.link = LinkState::ConnectedWithGaps;
  relay.ids_lost = 2;
  BatchStatus batch;
  batch.id = 7;
  batch.requests_left = 1;
  batch.failed = true;
  batch.why = "no progress";
  batch.retry_at = kTakenAt + 300;
  relay.batches.push_back(batch);
  return relay;
}

inline RepoStatus repository(const std::string& identifier, std::vector<std::string> relays = {}) {
  return {.address = "30617:" + std::string(64, 'a') + ":" + identifier,
          .level = Level::Full,
          .roots = 5,
          .relays = std::move(relays)};
}

// The same, hosted here and in order.
inline RepoStatus hosted(const std::string& identifier) {
  RepoStatus made = repository(identifier);
  made.git = GitStatus{.synced_at = kTakenAt - 60, .verified_at = kTakenAt - 7200};
  return made;
}

// Its git data is looked for: one source is being asked, one failed.
inline FetchStatus fetched(const std::string& identifier) {
  return {.address = "30617:" + std::string(64, 'a') + ":" + identifier,
          .events = {{std::string(64, 'a'), "state", 9, kTakenAt - 300}},
          .events_total = 1,
          .missing = 9,
          .first_missing = {std::string(40, 'b')},
          .since = kTakenAt - 300,
          .sources =
              {{"https://a.example/x.git", "request running", "", {}, kTakenAt - 5},
               {"https://b.example/x.git", "no such repository", "not_found", kTakenAt - 20, {}}},
          .sources_total = 2};
}

inline SyncReport report(std::vector<RelayStatus> relays) {
  SyncReport made;
  made.taken_at = kTakenAt;
  made.status.relays = std::move(relays);
  made.status.feed_complete = true;
  return made;
}

}  // namespace graspd::sync::testing
