// graspd read: events of a relay as JSON lines.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "app/client/client_options.h"
#include "core/result.h"

namespace graspd::app {

struct ReadOptions {
  ClientOptions client;
  std::string filter = "{}";
  std::optional<std::uint64_t> limit;
  bool follow = false;
};

int read_events(const ReadOptions& options);

// The filter as it is sent. The failure is a sentence.
core::Result<std::string, std::string> filter_text(const ReadOptions& options);

}  // namespace graspd::app
