// Judges the state of sync and describes it, once: pages, terminals and programs all say the same.
//
//   R1  Good: everything is here, and new events arrive live. Busy: not yet, but in progress. Idle:
//       not followed on purpose. Warn: followed, but something is missing or refused. Bad: not
//       reachable.
//   R2  A relay in trouble is shown with the reason and the time of the next attempt.
//   R3  A peer's words are cut to one line; the code that shows them must still treat them as
//       untrusted.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "core/counted.h"
#include "sync/sync_report.h"

namespace graspd::sync {

enum class Tone : std::uint8_t { Good, Busy, Idle, Warn, Bad };
const char* name(Tone tone);

struct SyncSummary {
  Tone tone = Tone::Good;
  std::string state;   // a few words: "in sync"
  std::string detail;  // R2; empty when there is nothing to say
};

SyncSummary summary_of(const RelayStatus& relay, core::UnixSeconds now);
SyncSummary summary_of(const SyncReport& report);  // of everything: `state` is a sentence
std::string followed_in_words(
    const SyncReport& report);  // how much is followed, and what came of it
// The relays that wait for a place, and for what they do; empty: none.
std::string waiting_in_words(const WaitingRelays& waiting);

// For how long the copy may lack something that the relay has got: 0 while live works; nullopt when
// it never did.
std::optional<std::uint64_t> lag_seconds(const RelayStatus& relay, core::UnixSeconds now);

// How much of what is wanted is followed live rather than by rotation, 0 to 1.
double live_share(const RelayStatus& relay);

// Its git data: "3 min ago", or why not, and when it last was. Empty: not hosted here.
std::string synced_in_words(const RepoStatus& repo, core::UnixSeconds now);
std::string verified_in_words(const RepoStatus& repo, core::UnixSeconds now);

struct Totals {
  std::size_t connected = 0, dead = 0, in_trouble = 0;           // in trouble: Warn or Bad
  std::size_t hosted = 0, synced = 0, verified = 0, broken = 0;  // repositories, by their git data
};
Totals totals_of(const SyncReport& report);

// "history: 3 of 8 requests, negentropy, 120 events"
std::string progress_of(const BatchStatus& batch);
std::string missing_in(const RelayStatus& relay);  // "3 events missing, 1 filter refused"; or empty

std::string span(std::int64_t seconds);  // "12 s", "5 min", "3 h", "2 d"
using core::counted;

}  // namespace graspd::sync
