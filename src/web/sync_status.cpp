#include "web/sync_status.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <optional>
#include <vector>

#include "web/columns.h"
#include "web/fetch_words.h"
#include "web/sync_json.h"
#include "web/sync_summary.h"
#include "web/text.h"

namespace graspd::web {
namespace {

using sync::RelayStatus;
using sync::RepoStatus;
using Row = std::vector<std::string>;

constexpr std::size_t kTableRepositories = 20, kTableFetches = 20;

bool wants_table(const http::Request& request) {
  const auto accept = request.headers.joined("Accept").value_or("");
  return accept.find("text/plain") != std::string::npos && accept.find("json") == std::string::npos;
}

std::optional<std::size_t> repositories_asked(const http::Request& request) {
  constexpr std::string_view kName = "repositories=";
  std::string_view query = request.query();
  if (!query.starts_with(kName)) return std::nullopt;
  query.remove_prefix(kName.size());
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(query.data(), query.data() + query.size(), number);
  if (error != std::errc() || end != query.data() + query.size()) return std::nullopt;
  return number;
}

// R3
std::string clean(std::string_view text) {
  std::string out = tidy(text, text.size());
  for (std::size_t at = 0; (at = out.find('\xc2', at)) != std::string::npos;) {
    const bool is_control = at + 1 < out.size() && static_cast<unsigned char>(out[at + 1]) < 0xa0;
    if (is_control) {
      out.erase(at, 2);
    } else {
      at += 2;
    }
  }
  std::replace(out.begin(), out.end(), '\n', ' ');
  std::replace(out.begin(), out.end(), '\t', ' ');
  return out;
}

std::string percent(const sync::Coverage& coverage) {
  return coverage.all == 0 ? "-" : fmt::format("{} %", 100 * coverage.has / coverage.all);
}

Row relay_cells(const RelayStatus& relay, core::UnixSeconds now) {
  const sync::SyncSummary summary = sync::summary_of(relay, now);
  const auto lag = sync::lag_seconds(relay, now);
  return {clean(relay.url),
          summary.state,
          relay.last_event ? sync::span(now - *relay.last_event) + " ago" : "-",
          lag ? sync::span(static_cast<std::int64_t>(*lag)) : "-",
          fmt::format("{}+{}", relay.live_filters, relay.rotating_filters),
          fmt::format("{}", relay.batches.size()),
          percent(relay.coverage),
          fmt::format("{}", relay.meter.gaps),
          clean(summary.detail)};
}

std::string relay_table(const sync::SyncReport& report) {
  std::vector<Row> rows{
      {"RELAY", "STATE", "LAST EVENT", "LAG", "LIVE", "PENDING", "COVERAGE", "GAPS", "WHY"}};
  std::string pending;
  for (const RelayStatus& relay : report.status.relays) {
    rows.push_back(relay_cells(relay, report.taken_at));
    for (const auto& batch : relay.batches)
      pending += fmt::format("{}  {}\n", clean(relay.url), clean(sync::progress_of(batch)));
  }
  return "\n" + in_columns(rows) + (pending.empty() ? "" : "\nPENDING\n" + pending);
}

std::string git_cell(const std::string& words) { return words.empty() ? "-" : clean(words); }

std::string fetch_table(const sync::Fetches& fetches, core::UnixSeconds now) {
  std::vector<Row> rows{{"SEARCHING FOR", "OWNER", "FOR", "MISSING", "SINCE", "NEXT TRY", "FROM"}};
  const std::size_t shown = std::min(fetches.shown.size(), kTableFetches);
  for (std::size_t i = 0; i < shown; ++i) {
    const sync::FetchStatus& fetch = fetches.shown[i];
    rows.push_back({clean(sync::identifier_of(fetch.address)), short_owner(fetch.address),
                    clean(sync::wanted_in_words(fetch)), clean(sync::missing_in_words(fetch)),
                    sync::span(now - fetch.since) + " ago", sync::next_in_words(fetch, now),
                    clean(sync::sources_in_words(fetch, now))});
  }
  return "\n" + in_columns(rows) +
         (fetches.total > shown ? fmt::format("and {} more\n", fetches.total - shown) : "");
}

std::string repository_table(const sync::SyncReport& report, std::size_t max) {
  std::vector<Row> rows{
      {"REPOSITORY", "OWNER", "LEVEL", "THREADS", "SYNCED", "VERIFIED", "RELAYS"}};
  const core::UnixSeconds now = report.taken_at;
  for (const RepoStatus* repo : sync::by_name(report.status, max)) {
    std::string relays;
    for (const std::string& url : repo->relays) relays += (relays.empty() ? "" : " ") + clean(url);
    rows.push_back({clean(sync::identifier_of(repo->address)), short_owner(repo->address),
                    name(repo->level), std::to_string(repo->roots),
                    git_cell(sync::synced_in_words(*repo, now)),
                    git_cell(sync::verified_in_words(*repo, now)), relays});
  }
  const std::size_t total = report.status.repos.size();
  const std::string rest =
      total > max ? fmt::format("and {} more: --json shows them all\n", total - max) : "";
  return "\n" + in_columns(rows) + rest;
}

}  // namespace

std::string short_owner(const std::string& address) {
  const std::string owner = sync::owner_of(address);
  return owner.size() > 18 ? owner.substr(0, 12) + "…" + owner.substr(owner.size() - 6) : owner;
}

std::string sync_table(const sync::SyncReport& report, std::size_t repositories_max) {
  std::string text = sync::summary_of(report).state + "\n" + sync::followed_in_words(report) + "\n";
  if (!report.status.relays.empty()) text += relay_table(report);
  if (!report.fetches.shown.empty()) text += fetch_table(report.fetches, report.taken_at);
  if (!report.status.repos.empty()) text += repository_table(report, repositories_max);
  return text;
}

http::Response sync_status(const sync::SyncReport& report, const http::Request& request) {
  const auto asked = repositories_asked(request);
  auto response =
      wants_table(request)
          ? http::text_response(200, sync_table(report, asked.value_or(kTableRepositories)))
          : http::json_response(200, sync::to_json(report, asked.value_or(sync::kAllRepositories)));
  response.headers.add("Sync-Outlook", name(sync::summary_of(report).tone));
  response.headers.add("Cache-Control", "no-store");
  return response;
}

}  // namespace graspd::web
