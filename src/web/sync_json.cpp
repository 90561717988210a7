#include "web/sync_json.h"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>

#include "core/check.h"
#include "nostr/address.h"
#include "nostr/json_writer.h"
#include "nostr/nip19.h"
#include "web/fetch_words.h"
#include "web/sync_summary.h"

namespace graspd::sync {
namespace {

using nostr::JsonWriter;

const char* name(Source source) {
  switch (source) {
    case Source::Live:
      return "live";
    case Source::Historic:
      return "historic";
    case Source::Daily:
      return "daily";
  }
  CHECK(false);
  return "";
}

std::optional<std::string> problem_name(const std::optional<DialProblem>& problem) {
  if (!problem) return std::nullopt;
  switch (*problem) {
    case DialProblem::Network:
      return "network";
    case DialProblem::Name:
      return "name";
    case DialProblem::Tls:
      return "tls";
    case DialProblem::NotARelay:
      return "not_a_relay";
    case DialProblem::Forbidden:
      return "forbidden";
    case DialProblem::TooManyCalls:
      return "too_many_calls";
  }
  CHECK(false);
  return std::nullopt;
}

void put_counts(JsonWriter& json, std::string_view key,
                const std::map<std::string, std::uint64_t>& counts) {
  json.key(key).open('{');
  for (const auto& [what, times] : counts) json.field(what, times);
  json.close('}');
}

void put(JsonWriter& json, const BatchStatus& batch) {
  json.open('{')
      .field("id", batch.id)
      .field("kind", std::string_view(name(batch.kind)))
      .field("source", std::string_view(name(batch.source)))
      .field("method", std::string_view(name(batch.method)))
      .field("progress", progress_of(batch))
      .field("items", batch.items)
      .field("requests_done", batch.requests_done)
      .field("requests_left", batch.requests_left)
      .field("requests_in_flight", batch.requests_in_flight)
      .field("ids_waiting", batch.ids_waiting)
      .field("arrived", batch.arrived)
      .field("stored", batch.stored)
      .field("started", batch.started)
      .field("failed", batch.failed)
      .field("why", batch.why)
      .field("retry_at", batch.retry_at)
      .close('}');
}

void put(JsonWriter& json, std::string_view key, const Hydration& hydration) {
  json.key(key)
      .open('{')
      .field("requested", hydration.requested)
      .field("delivered", hydration.delivered)
      .field("not_delivered", hydration.not_delivered)
      .field("saved", hydration.saved)
      .field("duplicate", hydration.duplicate)
      .field("held", hydration.held)
      .field("refused", hydration.refused)
      .field("forged", hydration.forged)
      .field("unjudged", hydration.unjudged)
      .close('}');
}

void put(JsonWriter& json, const RelayMeter& meter) {
  json.key("counts")
      .open('{')
      .field("dials_succeeded", meter.dials_succeeded)
      .field("dials_failed", meter.dials_failed)
      .field("arrived", meter.arrived)
      .field("first_seen", meter.first_seen)
      .field("duplicates", meter.duplicates)
      .field("rejected", meter.rejected)
      .field("held", meter.held)
      .field("forged", meter.forged)
      .field("postponed", meter.postponed)
      .field("pauses", meter.pauses)
      .field("paused_ms", meter.paused_ms)
      .field("unmatched", meter.unmatched)
      .field("gaps", meter.gaps)
      .field("requests", meter.requests)
      .field("pages", meter.pages)
      .field("reconciliations", meter.reconciliations)
      .field("reconciliation_rounds", meter.reconciliation_rounds)
      .field("ids_requested", meter.ids_requested)
      .field("ids_delivered", meter.ids_delivered)
      .field("ids_lost", meter.ids_lost)
      .field("ids_recovered", meter.ids_recovered)
      .field("rate_limits", meter.rate_limits)
      .field("timeouts", meter.timeouts)
      .field("batches_done", meter.batches_done)
      .field("batches_failed", meter.batches_failed)
      .field("consolidations", meter.consolidations)
      .field("rereads", meter.rereads)
      .field("books_mended", meter.books_mended);
  put(json, "stream", meter.stream);
  put(json, "recovery", meter.recovery);
  put_counts(json, "policy_refusals", meter.policy_refusals);
  json.close('}');
}

void put_health(JsonWriter& json, const RelayStatus& relay, core::UnixSeconds now) {
  const SyncSummary summary = summary_of(relay, now);
  json.field("url", relay.url)
      .field("tone", std::string_view(name(summary.tone)))
      .field("state", summary.state)
      .field("detail", summary.detail)
      .field("link", std::string_view(name(relay.link)))
      .field("health", std::string_view(name(relay.health)))
      .field("bootstrap", relay.bootstrap)
      .field("private", relay.is_private)
      .field("why", relay.why)
      .field("problem", problem_name(relay.problem))
      .field("failures", relay.failures)
      .field("next_try", relay.next_try)
      .field("paused_until", relay.paused_until)
      .field("connected_since", relay.connected_since)
      .field("uptime_seconds", relay.uptime_seconds)
      .field("last_alive", relay.last_alive)
      .field("last_event", relay.last_event)
      .field("last_success", relay.last_success)
      .field("lag_seconds", lag_seconds(relay, now));
}

void put_work(JsonWriter& json, const RelayStatus& relay) {
  json.field("historic_completed_at", relay.historic_completed_at)
      .field("next_daily", relay.next_daily)
      .field("announcements_synced", relay.announcements_synced)
      .field("target_repositories", relay.target_repos)
      .field("target_roots", relay.target_roots)
      .field("confirmed_repositories", relay.confirmed_repos)
      .field("confirmed_roots", relay.confirmed_roots)
      .field("subscriptions_open", relay.subscriptions_open)
      .field("live_subscriptions", relay.live_subscriptions)
      .field("history_subscriptions", relay.history_subscriptions)
      .field("live_repairs", relay.live_repairs)
      .field("live_filters", relay.live_filters)
      .field("rotating_filters", relay.rotating_filters)
      .field("live_share", live_share(relay))
      .field("pace_per_minute", relay.pace_per_minute)
      .field("ids_lost", relay.ids_lost)
      .field("ids_given_up", relay.ids_given_up)
      .field("filters_parked", relay.filters_parked)
      .field("rereading", relay.rereading)
      .field("over_budget", relay.over_budget)
      .field("missing", missing_in(relay))
      .field("gaps", relay.meter.gaps);
  json.key("batches").open('[');
  for (const BatchStatus& batch : relay.batches) put(json, batch);
  json.close(']');
}

void put(JsonWriter& json, const RelayStatus& relay, const SyncReport& report) {
  const Traffic traffic = report.traffic_of(relay.url);
  json.open('{');
  put_health(json, relay, report.taken_at);
  put_work(json, relay);
  json.key("coverage")
      .open('{')
      .field("has", relay.coverage.has)
      .field("all", relay.coverage.all)
      .close('}')
      .field("software", relay.software)
      .field("negentropy_works", relay.negentropy_works)
      .field("negentropy_refused_until", relay.negentropy_refused_until)
      .field("bytes_in", traffic.bytes_in)
      .field("bytes_out", traffic.bytes_out);
  put(json, relay.meter);
  json.close('}');
}

void put_git(JsonWriter& json, const RepoStatus& repo) {
  const GitStatus git = repo.git.value_or(GitStatus{});
  json.field("hosted", repo.git.has_value())
      .field("synced_at", git.synced_at)
      .field("behind", git.behind)
      .field("verified_at", git.verified_at)
      .field("problem", git.problem)
      .field("compared_at", git.compared_at)
      .field("compared_with", git.compared_with)
      .field("difference", git.difference);
}

void put(JsonWriter& json, const RepoStatus& repo) {
  json.open('{')
      .field("address", repo.address)
      .field("identifier", identifier_of(repo.address))
      .field("owner", owner_of(repo.address))
      .field("level", std::string_view(name(repo.level)))
      .field("roots", repo.roots);
  put_git(json, repo);
  json.key("relays").open('[');
  for (const std::string& url : repo.relays) json.put(url);
  json.close(']').close('}');
}

void put(JsonWriter& json, const FetchEvent& event) {
  json.open('{')
      .field("id", event.id)
      .field("reason", event.reason)
      .field("missing", event.missing)
      .field("since", event.since)
      .close('}');
}

void put(JsonWriter& json, const FetchSourceStatus& source) {
  json.open('{')
      .field("url", source.url)
      .field("state", source.words)
      .field("failure", source.failure)
      .field("failed_at", source.failed_at)
      .field("busy_since", source.busy_since)
      .close('}');
}

void put(JsonWriter& json, const FetchStatus& fetch, core::UnixSeconds now) {
  json.open('{')
      .field("address", fetch.address)
      .field("identifier", identifier_of(fetch.address))
      .field("owner", owner_of(fetch.address))
      .field("wanted_for", wanted_in_words(fetch))
      .field("missing", fetch.missing)
      .field("missing_first", missing_in_words(fetch))
      .field("since", fetch.since)
      .field("tries", fetch.tries)
      .field("next_try", fetch.next_try)
      .field("next", next_in_words(fetch, now))
      .field("from", sources_in_words(fetch, now))
      .field("events_total", fetch.events_total)
      .field("sources_total", fetch.sources_total);
  json.key("events").open('[');
  for (const FetchEvent& event : fetch.events) put(json, event);
  json.close(']').key("sources").open('[');
  for (const FetchSourceStatus& source : fetch.sources) put(json, source);
  json.close(']').close('}');
}

void put_totals(JsonWriter& json, const SyncReport& report) {
  const Status& status = report.status;
  const Totals totals = totals_of(report);
  json.key("totals")
      .open('{')
      .field("relays", status.relays.size())
      .field("connected", totals.connected)
      .field("in_trouble", totals.in_trouble)
      .field("dead", totals.dead)
      .field("dials_waiting", status.dials_waiting)
      .field("repositories", status.repos.size())
      .field("hosted", totals.hosted)
      .field("synced", totals.synced)
      .field("verified", totals.verified)
      .field("broken", totals.broken)
      .field("hunts", report.fetches.total)
      .field("hunt_commands", report.fetches.commands)
      .field("roots", status.roots)
      .field("stored", status.meter.synced())
      .field("stored_live", status.meter.stored_live)
      .field("stored_historic", status.meter.stored_historic)
      .field("stored_daily", status.meter.stored_daily)
      .field("gaps", status.meter.gaps)
      .field("urls_ignored", status.meter.urls_ignored)
      .field("relays_refused", status.meter.relays_refused)
      .field("relays_waiting", status.waiting.total())
      .field("relays_waiting_for_owner", status.waiting.for_owner)
      .field("relays_waiting_for_host", status.waiting.for_host)
      .field("relays_waiting_for_any", status.waiting.for_any)
      .field("relays_overlooked", status.waiting.overlooked)
      .field("stale_inputs", status.meter.stale_inputs)
      .field("steps", status.meter.steps);
  put_counts(json, "watchdog", status.meter.watchdog);
  json.close('}');
}

}  // namespace

std::string identifier_of(const std::string& address) {
  const std::size_t kind_end = address.find(':');
  const std::size_t owner_end = address.find(':', kind_end + 1);
  return owner_end == std::string::npos ? address : address.substr(owner_end + 1);
}

std::string owner_of(const std::string& address) {
  const auto parsed = nostr::Address::parse(address);
  return parsed ? nostr::nip19::npub(parsed->pubkey) : std::string();
}

std::vector<const RepoStatus*> by_name(const Status& status, std::size_t max) {
  std::vector<std::pair<std::string, const RepoStatus*>> named;
  named.reserve(status.repos.size());
  for (const RepoStatus& repo : status.repos)
    named.emplace_back(identifier_of(repo.address), &repo);
  const std::size_t count = std::min(max, named.size());
  std::partial_sort(named.begin(), named.begin() + static_cast<std::ptrdiff_t>(count), named.end(),
                    [](const auto& a, const auto& b) {
                      return std::tie(a.first, a.second->address) <
                             std::tie(b.first, b.second->address);
                    });
  std::vector<const RepoStatus*> out;
  out.reserve(count);
  for (std::size_t i = 0; i < count; ++i) out.push_back(named[i].second);
  return out;
}

std::string to_json(const SyncReport& report, std::size_t repositories_max) {
  const SyncSummary summary = summary_of(report);
  std::string text;
  JsonWriter json(text);
  json.open('{')
      .field("taken_at", report.taken_at)
      .field("tone", std::string_view(name(summary.tone)))
      .field("verdict", summary.state)
      .field("trouble", report.trouble)
      .field("summary", followed_in_words(report))
      .field("feed_complete", report.status.feed_complete);
  put_totals(json, report);
  json.key("relays").open('[');
  for (const RelayStatus& relay : report.status.relays) put(json, relay, report);
  json.close(']').key("hunts").open('[');
  for (const FetchStatus& fetch : report.fetches.shown) put(json, fetch, report.taken_at);
  json.close(']').key("repositories").open('[');
  for (const RepoStatus* repo : by_name(report.status, repositories_max)) put(json, *repo);
  json.close(']').close('}');
  return text + "\n";
}

}  // namespace graspd::sync
