#include "web/sync_page.h"

#include <array>
#include <fmt/format.h>
#include <map>
#include <utility>
#include <vector>

#include "core/percent.h"
#include "web/fetch_words.h"
#include "web/html.h"
#include "web/sync_json.h"
#include "web/sync_script.h"
#include "web/sync_status.h"
#include "web/sync_summary.h"
#include "web/text.h"

namespace graspd::web {
namespace {

using sync::RelayStatus;
using sync::RepoStatus;

constexpr std::string_view kStyle =
    ":root{--good:#17692f;--warn:#8a5a00;--bad:#b3261e}"
    "@media(prefers-color-scheme:dark){:root{--good:#6bd58b;--warn:#f0b849;--bad:#ff9a90}}"
    "body{max-width:84rem}table{border-collapse:collapse;width:100%;font-size:.9rem}"
    "th,td{text-align:left;vertical-align:top;padding:.4rem .5rem;border-top:1px solid var(--line)}"
    // Words stay whole, except in columns whose words can be longer than any column: URLs, ids.
    "th,td{overflow-wrap:normal}th{color:var(--soft);font-weight:600}"
    "td:first-child{overflow-wrap:anywhere;min-width:11rem}"
    "#relays td:is(:nth-child(3),:nth-child(6)),#hunts td:is(:nth-child(4),:nth-child(7)),"
    "#repositories td:is(:nth-child(5),:nth-child(6),:nth-child(7))"
    "{overflow-wrap:anywhere;min-width:9rem}"
    ":is(#hunts,#repositories) td:nth-child(2){white-space:nowrap}"
    ".tone::before{content:\"\\25CF\\A0\"}.good{color:var(--good)}.busy{color:var(--link)}"
    ".idle{color:var(--soft)}.warn{color:var(--warn)}.bad{color:var(--bad)}"
    "#verdict{font-size:1.15rem;font-weight:600}[hidden]{display:none}"
    "@media(max-width:70rem){table,tbody,tr,td{display:block}thead{display:none}"
    "tr{padding:.6rem 0;border-top:1px solid var(--line)}"
    "td{border:0;padding:.1rem 0;overflow-wrap:anywhere}"
    "td::before{content:attr(data-label) \": \";color:var(--soft)}"
    "td:has(bdi:empty){display:none}td:first-child::before{content:none}td:first-child{font-weight:"
    "600}}";

constexpr std::array<std::string_view, 8> kRelayTitles{
    "Relay", "State", "Why", "Last event", "Live filters", "Pending", "Coverage", "Gaps"};
constexpr std::array<std::string_view, 7> kRepositoryTitles{
    "Repository", "Owner", "Followed", "Threads", "Git synced", "Git verified", "Relays"};

constexpr std::array<std::string_view, 7> kFetchTitles{
    "Repository", "Owner", "Wanted for", "Missing", "Since", "Next try", "From"};

constexpr std::size_t kCellBytesMax = 16 * 1024;  // never reached by what is listed below
constexpr std::size_t kBatchesShown = 4, kRelaysShown = 10;

std::string joined(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& part : parts) {
    if (!part.empty()) out += (out.empty() ? "" : "; ") + part;
  }
  return out;
}

// The first of them, and how many more there are.
std::string some(std::vector<std::string> parts, std::size_t max) {
  if (parts.empty()) return "none";
  const std::size_t more = parts.size() > max ? parts.size() - max : 0;
  parts.resize(parts.size() - more);
  if (more > 0) parts.push_back(fmt::format("{} more", more));
  return joined(parts);
}

// ---- what the cells say; the script says the same

std::string last_event(const RelayStatus& relay, core::UnixSeconds now) {
  const auto lag = sync::lag_seconds(relay, now);
  const std::string behind =
      lag.value_or(0) > 0 ? "behind by " + sync::span(static_cast<std::int64_t>(*lag)) : "";
  return joined(
      {relay.last_event ? sync::span(now - *relay.last_event) + " ago" : "none yet", behind});
}

std::string live(const RelayStatus& relay) {
  if (relay.live_filters + relay.rotating_filters == 0) return "none";
  const std::string rotating =
      relay.rotating_filters > 0 ? fmt::format(" + {} in turn", relay.rotating_filters) : "";
  return fmt::format("{}{}", relay.live_filters, rotating);
}

std::string pending(const RelayStatus& relay) {
  std::vector<std::string> parts;
  parts.reserve(relay.batches.size());
  for (const auto& batch : relay.batches) parts.push_back(sync::progress_of(batch));
  return some(std::move(parts), kBatchesShown);
}

std::string coverage(const RelayStatus& relay) {
  const auto [has, all] = relay.coverage;
  return all == 0 ? "unknown" : fmt::format("{} %", 100 * has / all);
}

std::string gaps(const RelayStatus& relay) {
  const std::uint64_t late = relay.meter.gaps;
  const std::string all =
      joined({sync::missing_in(relay), late > 0 ? fmt::format("{} found late", late) : ""});
  return all.empty() ? "none" : all;
}

// ---- rows

std::string cell(std::string_view title, std::string_view markup) {
  return fmt::format("<td data-label=\"{}\">{}</td>", title, markup);
}

std::string relay_row(const RelayStatus& relay, core::UnixSeconds now) {
  const sync::SyncSummary summary = sync::summary_of(relay, now);
  const std::string state = fmt::format("<bdi class=\"tone {}\">{}</bdi>", name(summary.tone),
                                        http::escape(summary.state));
  const std::array<std::string, 8> cells{
      shown(relay.url + (relay.bootstrap ? " (bootstrap)" : ""), kCellBytesMax),
      state,
      shown(summary.detail, kCellBytesMax),
      shown(last_event(relay, now)),
      shown(live(relay)),
      shown(pending(relay), kCellBytesMax),
      shown(coverage(relay)),
      shown(gaps(relay))};
  std::string row = fmt::format("<tr data-key=\"{}\">", http::escape(relay.url));
  for (std::size_t i = 0; i < cells.size(); ++i) row += cell(kRelayTitles[i], cells[i]);
  return row + "</tr>\n";
}

std::string git_cell(const std::string& words, const std::string& trouble) {
  const std::string said = words.empty() ? "not hosted here" : words;
  if (trouble.empty()) return shown(said, kCellBytesMax);
  return fmt::format("<bdi class=\"tone warn\">{}</bdi>", http::escape(tidy(said, kCellBytesMax)));
}

std::string repository_link(const std::string& address, const Home& home) {
  const std::string identifier = sync::identifier_of(address);
  const std::string page =
      home.path("/" + sync::owner_of(address) + "/" + core::percent_encode(identifier) + ".git");
  return fmt::format("<a href=\"{}\">{}</a>", http::escape(page),
                     http::escape(tidy(identifier, kNameBytesMax)));
}

std::string fetch_row(const sync::FetchStatus& fetch, const Home& home, core::UnixSeconds now) {
  const std::string wanted = sync::wanted_in_words(fetch);
  const std::array<std::string, 7> cells{repository_link(fetch.address, home),
                                         shown(short_owner(fetch.address)),
                                         shown(wanted),
                                         shown(sync::missing_in_words(fetch)),
                                         shown(sync::span(now - fetch.since) + " ago"),
                                         shown(sync::next_in_words(fetch, now)),
                                         shown(sync::sources_in_words(fetch, now), kCellBytesMax)};
  std::string row = fmt::format("<tr data-key=\"{}\">", http::escape(fetch.address + " " + wanted));
  for (std::size_t i = 0; i < cells.size(); ++i) row += cell(kFetchTitles[i], cells[i]);
  return row + "</tr>\n";
}

std::string repository_row(const RepoStatus& repo, const Home& home, core::UnixSeconds now) {
  const bool is_full = repo.level == sync::Level::Full;
  const sync::GitStatus git = repo.git.value_or(sync::GitStatus{});
  const std::array<std::string, 7> cells{repository_link(repo.address, home),
                                         shown(short_owner(repo.address)),
                                         shown(is_full ? "everything" : "its state"),
                                         shown(std::to_string(repo.roots)),
                                         git_cell(sync::synced_in_words(repo, now), git.behind),
                                         git_cell(sync::verified_in_words(repo, now), git.problem),
                                         shown(some(repo.relays, kRelaysShown), kCellBytesMax)};
  std::string row = fmt::format("<tr data-key=\"{}\">", http::escape(repo.address));
  for (std::size_t i = 0; i < cells.size(); ++i) row += cell(kRepositoryTitles[i], cells[i]);
  return row + "</tr>\n";
}

template <class Titles>
std::string table(std::string_view id, const Titles& titles, const std::string& rows) {
  std::string head;
  for (const std::string_view title : titles) head += fmt::format("<th>{}</th>", title);
  return fmt::format(
      "<p id=\"{0}-none\"{1}>None yet.</p>\n<table id=\"{0}\"{2}>\n<thead><tr>{3}</tr></thead>\n"
      "<tbody>\n{4}</tbody>\n</table>\n",
      id, rows.empty() ? "" : " hidden", rows.empty() ? " hidden" : "", head, rows);
}

// R1
std::string relay_rows(const sync::SyncReport& report) {
  constexpr std::array kOrder{sync::Tone::Bad, sync::Tone::Warn, sync::Tone::Busy, sync::Tone::Good,
                              sync::Tone::Idle};
  std::map<sync::Tone, std::string> rows;
  for (const RelayStatus& relay : report.status.relays)
    rows[sync::summary_of(relay, report.taken_at).tone] += relay_row(relay, report.taken_at);
  std::string out;
  for (const sync::Tone tone : kOrder) out += rows[tone];
  return out;
}

// R4
std::string fetches(const sync::Fetches& fetches, const Home& home, core::UnixSeconds now) {
  std::string rows;
  for (const sync::FetchStatus& fetch : fetches.shown) rows += fetch_row(fetch, home, now);
  const std::string cut =
      fetches.total > fetches.shown.size()
          ? fmt::format("The first {} of {}.", fetches.shown.size(), fetches.total)
          : "";
  return fmt::format(
      "<section id=\"looked-for\"{}>\n<h2>Missing git data</h2>\n"
      "<p id=\"hunts-cut\">{}</p>\n{}</section>\n",
      rows.empty() ? " hidden" : "", cut, table("hunts", kFetchTitles, rows));
}

std::string moment(core::UnixSeconds time) {
  const std::int64_t second = ((time % 86'400) + 86'400) % 86'400;
  return fmt::format("{} {:02}:{:02}:{:02} UTC", date(time), second / 3600, second / 60 % 60,
                     second % 60);
}

std::string opening(const sync::SyncReport& report, const Home& home) {
  const sync::SyncSummary summary = sync::summary_of(report);
  return fmt::format(
      "<p class=\"small\"><a href=\"{}\">{}</a></p>\n<h1>Sync with other relays</h1>\n"
      "<p id=\"verdict\" class=\"tone {}\">{}</p>\n<p id=\"summary\">{}</p>\n"
      "<p class=\"small\">As of <span id=\"taken\">{}</span>. For programs: "
      "<a href=\"{}\">JSON</a></p>\n"
      "<p id=\"stale\" class=\"note\" hidden>The server does not answer. This page is out of "
      "date.</p>\n",
      http::escape(home.start()), http::escape(home.relay.host()), name(summary.tone),
      http::escape(summary.state), http::escape(sync::followed_in_words(report)),
      moment(report.taken_at), http::escape(home.path("/api/sync")));
}

}  // namespace

http::Response sync_page(const sync::SyncReport& report, const Home& home) {
  const std::size_t total = report.status.repos.size();
  std::string repositories;
  for (const RepoStatus* repo : sync::by_name(report.status, kRepositoriesShown))
    repositories += repository_row(*repo, home, report.taken_at);
  const std::string cut = total > kRepositoriesShown  // R3
                              ? fmt::format("The first {} of {}.", kRepositoriesShown, total)
                              : "";
  const std::string body = opening(report, home) + "<h2>Relays</h2>\n" +
                           table("relays", kRelayTitles, relay_rows(report)) +
                           fetches(report.fetches, home, report.taken_at) +
                           "<h2>Repositories</h2>\n<p id=\"cut\">" + cut + "</p>\n" +
                           table("repositories", kRepositoryTitles, repositories);
  const std::string base = home.path("/");
  const http::PageExtras extras{kStyle, sync_script(), base};
  auto response =
      http::page_response(200, "Sync - " + home.relay.host(), body, home.icon(), extras);
  response.headers.add("Cache-Control", "no-cache");
  return response;
}

}  // namespace graspd::web
