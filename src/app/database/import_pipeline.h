// Imports lines into a store: reads, verifies on several threads, and writes in batches, in order.
//
//   R1  While one batch is written, the next is verified.
//   R2  Order is kept: of two versions of an event, the order in the file decides as the order of
//       arrival would.
//   R3  Blank lines are skipped. Ephemeral events are not stored; they are not an error.
//   R4  What the relay's admission rejects (relay/admission.h) is rejected here too, and reported.
//   R5  When free disk space is low, the import stops; what was stored is kept.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/time.h"
#include "nostr/json.h"
#include "nostr/relay_url.h"
#include "relay/limits.h"
#include "store/event_store.h"

namespace graspd::app {

struct BadLine {
  std::uint64_t number = 0;
  std::string reason;
};

struct ImportReport {
  static constexpr std::size_t kBadLinesShown = 10;

  std::uint64_t lines = 0;
  std::uint64_t stored = 0, duplicate = 0, superseded = 0, deleted = 0, vanished = 0, expired = 0;
  std::uint64_t ephemeral = 0, refused = 0, invalid = 0;
  std::vector<BadLine> first_bad;  // invalid or refused
};

struct ImportContext {
  store::EventStore& store;
  nostr::RelayUrl self;  // for requests to vanish from here
  std::size_t threads = 1;
  std::size_t batch_lines = 2'000;
  std::function<core::UnixSeconds()> now;
  relay::Limits limits = {};
  std::function<bool()> is_low_on_disk = [] { return false; };
  std::function<void(const ImportReport&)> progress;  // after each batch
};

// One event of one line, its id and signature right, as the store wants it.
core::Result<nostr::WireEventPtr, std::string> verified_event(nostr::JsonReader& reader,
                                                              std::string_view text);

// What the admission says against it, or that its time is over; counted.
bool is_refused(const nostr::WireEvent& wire, std::uint64_t line, const relay::Limits& limits,
                core::UnixSeconds now, ImportReport& report);

void count(ImportReport& report, store::Outcome outcome);

core::Result<ImportReport, store::StoreError> import_lines(std::istream& in,
                                                           const ImportContext& context);

}  // namespace graspd::app
