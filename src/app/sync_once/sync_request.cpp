#include "app/sync_once/sync_request.h"

#include <fmt/format.h>

#include "nostr/json.h"

namespace graspd::app {
namespace {

using core::Failure;
using core::Result;

constexpr std::uint64_t kInactivityMax = 86'400;  // seconds

Result<nostr::Filter, std::string> parse_whole_filter(const std::string& text) {
  auto filter = nostr::JsonReader().filter(text);
  if (!filter) {
    return Failure{fmt::format("--filter {}: {}; write a NIP-01 filter such as {{\"kinds\":[1]}}",
                               text, filter.error())};
  }
  if (filter->limit)
    return Failure{fmt::format("--filter {}: leave out its limit; use since and until", text)};
  return filter;
}

Result<std::vector<nostr::Filter>, std::string> parse_filters(
    const std::vector<std::string>& texts) {
  std::vector<nostr::Filter> filters;
  for (const std::string& text : texts) {
    auto filter = parse_whole_filter(text);
    if (!filter) return Failure{filter.error()};
    filters.push_back(*std::move(filter));
  }
  if (filters.empty()) filters.emplace_back();
  return filters;
}

}  // namespace

Result<SyncRequest, std::string> parse_sync_request(const SyncOptions& options) {
  const auto peer = nostr::RelayUrl::parse(options.url);
  if (!peer)
    return Failure{fmt::format("{} is no relay's URL; write wss://relay.example.org", options.url)};
  if (int{options.down} + int{options.up} + int{options.both} > 1)  // R1
    return Failure{std::string("give one of --down, --up and --both")};
  if (options.inactivity_limit == 0 || options.inactivity_limit > kInactivityMax)
    return Failure{fmt::format("--inactivity-limit is from 1 to {} seconds", kInactivityMax)};
  auto filters = parse_filters(options.filters);
  if (!filters) return Failure{filters.error()};
  return SyncRequest{.peer = *peer,
                     .filters = *std::move(filters),
                     .down = !options.up,
                     .up = options.up || options.both,
                     .dry_run = options.dry_run,
                     .inactivity_limit = std::chrono::seconds(options.inactivity_limit)};
}

}  // namespace graspd::app
