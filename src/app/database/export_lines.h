// Events of a store as lines of text.
//
//   R1  All events: in order of acceptance, up to the last one at the beginning of the export.
//   R2  By filter: newest first, as a client would get them, without the relay's own limit.
//   R3  No snapshot is held for long: copying a large store must not keep its old pages alive.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"
#include "core/time.h"
#include "nostr/filter.h"
#include "store/event_store.h"

namespace graspd::app {

struct ExportContext {
  const store::EventStore& store;
  core::UnixSeconds now = 0;
  std::function<bool(std::string_view json)> write;    // false: cannot, so stop
  std::function<void(std::uint64_t events)> progress;  // now and then
};

// How many were written. The failure is a sentence.
core::Result<std::uint64_t, std::string> export_all(const ExportContext& context);
core::Result<std::uint64_t, std::string> export_matching(const ExportContext& context,
                                                         const nostr::Filter& filter);

}  // namespace graspd::app
