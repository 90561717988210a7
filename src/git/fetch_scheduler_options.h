// Everything about fetching that an operator or a test may set, with its default.
#pragma once
#include <chrono>
#include <cstddef>

#include "core/time.h"

namespace graspd::git::fetch {

struct Options {
  // Commands at once: each is a git process that unpacks and checks. Two for every processor.
  std::size_t concurrency = 4;

  // Of one domain: what its operator would call polite.
  std::size_t domain_concurrency = 5;
  std::size_t domain_commands_per_minute = 60;  // 0: no limit
  // Oids that a remote does not advertise cost it a walk of its history, and mostly in vain.
  std::size_t singles_per_pass = 2;  // of one source
  std::size_t domain_singles_per_minute = 6;
  std::size_t singles_below = 30;  // commands used in the last minute
  // One fetch may take several, to find out which wants a remote lacks: with fewer than this it
  // waits until there are more.
  std::size_t commands_per_fetch_min = 3, commands_per_fetch_max = 6;

  core::Duration push_expected = std::chrono::minutes(3);  // by whoever sent the event
  core::Duration push_not_expected{500};                   // more of the same may be on its way
  core::Duration second_source_after = std::chrono::seconds(30);
  core::Duration backoff_base = std::chrono::seconds(20);
  core::Duration backoff_max = std::chrono::seconds(120);
  core::Duration repair_backoff_max = std::chrono::hours(1);  // nobody waits, and it has no end

  core::Duration rate_pause = std::chrono::seconds(60);  // of a domain, after HTTP 429
  core::Duration rate_pause_max = std::chrono::hours(1);
  core::Duration aside_for = std::chrono::hours(12);    // for reasons of their own
  core::Duration site_pause = std::chrono::seconds(5);  // doubling, while it is unreachable
  core::Duration site_pause_max = std::chrono::minutes(2);
  core::Duration url_pause = std::chrono::seconds(30);  // doubling, while it is not there
  core::Duration misses_for = std::chrono::minutes(30);
  core::Duration late_patience = std::chrono::minutes(1);  // for a turn to ask for single oids

  // Bounds on what strangers can fill. Beyond them a want is refused, and counted.
  std::size_t repositories_max = 16'384;
  std::size_t events_per_repository_max = 256;
  std::size_t oids_per_event_max = 20'000;
  std::size_t oids_max = 1'000'000;
  std::size_t urls_per_pass_max = 32;
  std::size_t urls_remembered = 1'024;
  std::size_t misses_per_url_max = 1'024;
  std::size_t domains_remembered = 4'096;
};

}  // namespace graspd::git::fetch
