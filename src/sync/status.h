// What the status page, `graspd status` and the metrics show of sync: values, made on demand.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/time.h"
#include "sync/health.h"
#include "sync/messages.h"
#include "sync/meter.h"
#include "sync/places.h"
#include "sync/relay_memory.h"

namespace graspd::sync {

enum class LinkState : std::uint8_t {  // the numbers of ngit_sync_relay_connected
  Disconnected = 0,
  Connecting = 1,
  Syncing = 2,
  Connected = 3,
  ConnectedWithGaps = 4,
  Disconnecting = 5,
};
const char* name(LinkState state);
const char* name(HealthState state);
const char* name(Batch::Kind kind);
const char* name(Level level);
const char* name(Job::Method method);

struct BatchStatus {
  std::uint32_t id = 0;
  Batch::Kind kind = Batch::Kind::Items;
  Source source = Source::Historic;
  std::size_t items = 0;
  std::size_t requests_done = 0, requests_left = 0, requests_in_flight = 0, ids_waiting = 0;
  std::uint64_t arrived = 0, stored = 0;    // events
  Job::Method method = Job::Method::Pages;  // of the first request left
  core::UnixSeconds started = 0;
  bool failed = false;
  std::string why;                            // when failed
  std::optional<core::UnixSeconds> retry_at;  // when failed
};

struct RelayStatus {
  RelayId id;
  std::string url;
  bool bootstrap = false;
  bool is_private = false;                 // GRASP-08: never dialled by a public server
  std::optional<nostr::PublicKey> pubkey;  // as its NIP-11 document says
  LinkState link = LinkState::Disconnected;
  HealthState health = HealthState::Disconnected;
  std::string why;  // of the last failure
  std::uint32_t failures = 0;
  std::optional<DialProblem> problem;  // of the last dial, when it failed
  std::optional<core::UnixSeconds> next_try, paused_until;
  std::optional<core::UnixSeconds> connected_since, last_alive, last_event, last_success;
  std::optional<core::UnixSeconds> historic_completed_at, next_daily;
  std::size_t target_repos = 0, target_roots = 0, confirmed_repos = 0, confirmed_roots = 0;
  bool announcements_synced = false;
  std::uint64_t uptime_seconds = 0;
  std::size_t subscriptions_open = 0, live_subscriptions = 0, history_subscriptions = 0;
  std::size_t live_repairs = 0;  // live subscriptions that were refused and wait
  std::size_t live_filters = 0, rotating_filters = 0;
  std::uint32_t pace_per_minute = 0;
  std::vector<BatchStatus> batches;
  std::size_t ids_lost = 0, ids_given_up = 0, filters_parked = 0;
  std::string rereading;     // why: what was read did not add up; empty: it does
  bool over_budget = false;  // it sends more than it may, and is read slowly
  Coverage coverage;
  std::string software;
  bool negentropy_works = false;
  std::optional<core::UnixSeconds> negentropy_refused_until;
  RelayMeter meter;
};

struct Relay;
struct SessionContext;
RelayStatus status_of(const Relay& relay, const SessionContext& context, core::Now now);

// Of a repository that is hosted here, as far as somebody looked. The engine does not know of it.
struct GitStatus {
  std::optional<core::UnixSeconds> synced_at, verified_at;
  std::string behind, problem;  // why it is not synced, not verified; empty: it is, or is not yet
  std::optional<core::UnixSeconds> compared_at;
  std::string compared_with, difference;  // a peer, and what it serves otherwise
};

struct RepoStatus {
  std::string address;
  Level level = Level::Full;
  std::size_t roots = 0;
  std::vector<std::string> relays;
  std::optional<GitStatus> git;
};

struct Status {
  std::vector<RelayStatus> relays;  // by url
  std::vector<RepoStatus> repos;    // followed ones
  std::size_t roots = 0;
  std::size_t dials_waiting = 0;
  WaitingRelays waiting;       // for a place
  bool feed_complete = false;  // the history of our own relay has been read
  Meter meter;
};

}  // namespace graspd::sync
