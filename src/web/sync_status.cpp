#include "web/sync_status.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <optional>
#include <vector>

#include "sync/outlook.h"
#include "sync/status_json.h"
#include "web/text.h"

namespace graspd::web {
namespace {

using sync::RelayStatus;
using sync::RepoStatus;
using Row = std::vector<std::string>;

constexpr std::size_t kTableRepositories = 20, kTableHunts = 20;
constexpr std::size_t kColumnMax = 60;  // wider ones do not push the others away

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

// Characters as a terminal counts them, nearly: code points.
std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
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

std::string laid_out(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], std::min(width(row[i]), kColumnMax));
  }
  std::string out;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      const std::size_t used = width(row[i]);
      line.append(used < widths[i] ? widths[i] - used + 2 : 2, ' ');
    }
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

std::string percent(const sync::Coverage& coverage) {
  return coverage.all == 0 ? "-" : fmt::format("{} %", 100 * coverage.has / coverage.all);
}

Row relay_cells(const RelayStatus& relay, core::UnixSeconds now) {
  const sync::Outlook outlook = sync::outlook_of(relay, now);
  const auto lag = sync::lag_seconds(relay, now);
  return {clean(relay.url),
          outlook.state,
          relay.last_event ? sync::span(now - *relay.last_event) + " ago" : "-",
          lag ? sync::span(static_cast<std::int64_t>(*lag)) : "-",
          fmt::format("{}+{}", relay.live_filters, relay.rotating_filters),
          fmt::format("{}", relay.batches.size()),
          percent(relay.coverage),
          fmt::format("{}", relay.meter.gaps),
          clean(outlook.detail)};
}

std::string relay_table(const sync::View& view) {
  std::vector<Row> rows{
      {"RELAY", "STATE", "LAST EVENT", "LAG", "LIVE", "PENDING", "COVERAGE", "GAPS", "WHY"}};
  std::string pending;
  for (const RelayStatus& relay : view.status.relays) {
    rows.push_back(relay_cells(relay, view.taken_at));
    for (const auto& batch : relay.batches)
      pending += fmt::format("{}  {}\n", clean(relay.url), clean(sync::progress_of(batch)));
  }
  return "\n" + laid_out(rows) + (pending.empty() ? "" : "\nPENDING\n" + pending);
}

std::string git_cell(const std::string& words) { return words.empty() ? "-" : clean(words); }

std::string hunt_table(const sync::Hunts& hunts, core::UnixSeconds now) {
  std::vector<Row> rows{{"LOOKED FOR", "OWNER", "FOR", "MISSING", "SINCE", "NEXT TRY", "FROM"}};
  const std::size_t shown = std::min(hunts.shown.size(), kTableHunts);
  for (std::size_t i = 0; i < shown; ++i) {
    const sync::HuntStatus& hunt = hunts.shown[i];
    rows.push_back({clean(sync::identifier_of(hunt.address)), sync::owner_of(hunt.address),
                    clean(sync::wanted_in_words(hunt)), clean(sync::missing_in_words(hunt)),
                    sync::span(now - hunt.since) + " ago", sync::next_in_words(hunt, now),
                    clean(sync::sources_in_words(hunt, now))});
  }
  return "\n" + laid_out(rows) +
         (hunts.total > shown ? fmt::format("and {} more\n", hunts.total - shown) : "");
}

std::string repository_table(const sync::View& view, std::size_t max) {
  std::vector<Row> rows{
      {"REPOSITORY", "OWNER", "LEVEL", "THREADS", "SYNCED", "VERIFIED", "RELAYS"}};
  const core::UnixSeconds now = view.taken_at;
  for (const RepoStatus* repo : sync::by_name(view.status, max)) {
    std::string relays;
    for (const std::string& url : repo->relays) relays += (relays.empty() ? "" : " ") + clean(url);
    rows.push_back({clean(sync::identifier_of(repo->address)), sync::owner_of(repo->address),
                    name(repo->level), std::to_string(repo->roots),
                    git_cell(sync::synced_in_words(*repo, now)),
                    git_cell(sync::verified_in_words(*repo, now)), relays});
  }
  const std::size_t total = view.status.repos.size();
  const std::string rest =
      total > max ? fmt::format("and {} more: --json shows them all\n", total - max) : "";
  return "\n" + laid_out(rows) + rest;
}

}  // namespace

std::string sync_table(const sync::View& view, std::size_t repositories_max) {
  std::string text = sync::outlook_of(view).state + "\n" + sync::summary_of(view) + "\n";
  if (!view.status.relays.empty()) text += relay_table(view);
  if (!view.hunts.shown.empty()) text += hunt_table(view.hunts, view.taken_at);
  if (!view.status.repos.empty()) text += repository_table(view, repositories_max);
  return text;
}

http::Response sync_status(const sync::View& view, const http::Request& request) {
  const auto asked = repositories_asked(request);
  auto response =
      wants_table(request)
          ? http::text_response(200, sync_table(view, asked.value_or(kTableRepositories)))
          : http::json_response(200, sync::to_json(view, asked.value_or(sync::kAllRepositories)));
  response.headers.add("Sync-Outlook", name(sync::outlook_of(view).tone));
  response.headers.add("Cache-Control", "no-store");
  return response;
}

}  // namespace graspd::web
