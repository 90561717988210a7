// What a sync did, for people, for scripts and for the shell.
//
//   R1  Exit 0 means that the sets are as equal as both policies allow. 1: something was not
//       fetched or sent. 3: the relay, or our own server, could not be reached. 128 + n: stopped by
//       signal n; what had arrived is kept.
//   R2  What one side rejects for good (our policy, an older version, a duplicate) is a permanent
//       difference. It is counted, and is not a failure. Only a peer that rejects our uploads is
//       one.
//   R3  Reasons are untrusted text: printable, short, and few.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/time.h"

namespace graspd::app {

using Reasons = std::map<std::string, std::uint64_t>;

struct OneShotReport {
  enum class End : std::uint8_t { Finished, BrokenOff, Unreachable };

  bool down = true, up = false, dry_run = false;

  // Of the events in question.
  std::uint64_t already_here = 0;  // on both sides
  std::uint64_t missing_here = 0;
  std::uint64_t peer_lacks = 0;

  // What came down.
  std::uint64_t fetched = 0, stored = 0, known = 0, held = 0, forged = 0, failed = 0;
  std::uint64_t undelivered = 0;  // promised by the peer
  std::uint64_t unasked = 0;      // came without being asked for
  Reasons refused;                // by us

  // What went up.
  std::uint64_t uploaded = 0, upload_duplicates = 0;
  std::uint64_t kept_back = 0;  // protected (NIP-70): not ours to publish
  std::uint64_t unsent = 0;     // when it broke off
  Reasons upload_refused;

  // How.
  std::uint64_t rounds = 0, requests = 0, pages = 0;
  std::uint64_t bytes_in = 0, bytes_out = 0;  // of messages, before compression
  core::Duration lasted{};

  End end = End::Finished;
  std::vector<std::string> troubles;  // why something is missing
  std::optional<int> signal;
};

void tally(Reasons& reasons, std::string_view text);
void trouble(OneShotReport& report, std::string_view text);  // once each
std::uint64_t total(const Reasons& reasons);

int exit_code(const OneShotReport& report);
std::string summary_text(const OneShotReport& report);
std::string summary_json(const OneShotReport& report);

// How far it is, in one line; with a bar on a terminal.
struct SyncStanding {
  std::uint64_t questions = 0, questions_open = 0;  // windows of time and filters
  std::uint64_t to_upload = 0;                      // still
};
std::string progress_text(const OneShotReport& report, const SyncStanding& standing, bool terminal);

}  // namespace graspd::app
