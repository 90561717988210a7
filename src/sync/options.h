// Everything about sync that an operator or a test may set, with its default.
#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "core/time.h"
#include "nostr/relay_url.h"
#include "sync/places.h"

namespace graspd::sync {

// A public server leaves private servers (GRASP-08) alone. A private server syncs with its
// bootstrap relays and with other private servers, unless it is told to sync with all.
enum class Peers { Public, Private, All };

struct Options {
  Peers peers = Peers::Public;
  std::vector<nostr::RelayUrl> bootstrap;
  std::vector<nostr::RelayUrl> own_urls;  // never a target
  // NIP-11 `software` of a peer that needs no pace: our own.
  std::string own_software = "graspd";
  bool negentropy = true;
  PlaceLimits places;  // for relays that repositories list
  std::size_t values_per_filter = 100;
  std::size_t consolidate_at = 70;  // live filters on one connection

  core::Duration batch_window = std::chrono::seconds(5);
  core::Duration backoff_base = std::chrono::seconds(5);  // also the patience with a dial
  core::Duration backoff_max = std::chrono::hours(1);
  core::Duration dead_after = std::chrono::hours(24);
  core::Duration dead_retry = std::chrono::hours(24);
  core::Duration stable_after = std::chrono::minutes(5);
  core::Duration rate_pause = std::chrono::seconds(65);
  core::Duration rate_pause_max = std::chrono::hours(1);
  core::Duration policy_pause = std::chrono::hours(24);
  core::Duration quick_reconnect = std::chrono::minutes(15);  // longer away: a fresh start
  core::Duration overlap = std::chrono::minutes(15);          // subtracted from every `since`
  core::Duration linger = std::chrono::minutes(15);           // without a target
  core::Duration daily = std::chrono::hours(23);
  core::Duration daily_spread = std::chrono::hours(2);
  core::Duration silent_max = std::chrono::seconds(75);  // of a peer: then its socket closes
  core::Duration first_frame_max = std::chrono::seconds(120);
  core::Duration progress_max = std::chrono::seconds(30);
  core::Duration negentropy_silence_max = std::chrono::seconds(10);
  core::Duration rotation_min = std::chrono::seconds(60);
  core::Duration lost_retry = std::chrono::seconds(30);
  core::Duration lost_retry_max = std::chrono::minutes(15);
};

}  // namespace graspd::sync
