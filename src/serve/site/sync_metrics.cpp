#include "serve/site/sync_metrics.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "web/sync_summary.h"

namespace graspd::serve {
namespace {

using metrics::Labels;
using metrics::Registry;
using metrics::Samples;
using sync::RelayStatus;
using sync::SyncReport;

// Adds the samples of one relay; `labels` holds its url already.
using OfRelay =
    std::function<void(const SyncReport&, const RelayStatus&, Labels labels, Samples& out)>;
using ReadNumber = double (*)(const SyncReport&, const RelayStatus&);

double number(std::uint64_t value) { return static_cast<double>(value); }

metrics::ReadSamples per_relay(const ReadSyncReport& report, OfRelay of_relay) {
  return [report, of_relay = std::move(of_relay)] {
    const auto seen = report();
    Samples samples;
    for (const RelayStatus& relay : seen->status.relays)
      of_relay(*seen, relay, {{"relay", relay.url}}, samples);
    return samples;
  };
}

OfRelay one(ReadNumber read) {
  return [read](const SyncReport& report, const RelayStatus& relay, Labels labels, Samples& out) {
    out.emplace_back(std::move(labels), read(report, relay));
  };
}

struct Line {
  const char* name;
  const char* help;
  ReadNumber read;
};

// ---- one number per relay

constexpr std::array<Line, 15> kGauges{{
    {"ngit_sync_relay_connected",
     "0 disconnected, 1 connecting, 2 syncing, 3 connected, 4 connected with gaps, 5 disconnecting",
     [](const SyncReport&, const RelayStatus& relay) { return number(std::uint64_t(relay.link)); }},
    {"ngit_sync_relay_status",
     "1 healthy, 2 disconnected, 3 degraded, 4 dead, 5 rate limited, 6 policy limited",
     [](const SyncReport&, const RelayStatus& relay) {
       return number(std::uint64_t(relay.health));
     }},
    {"ngit_sync_relay_failures", "Failures in a row",
     [](const SyncReport&, const RelayStatus& relay) { return number(relay.failures); }},
    {"ngit_sync_subscriptions_open", "Subscriptions and reconciliations open",
     [](const SyncReport&, const RelayStatus& relay) { return number(relay.subscriptions_open); }},
    {"ngit_sync_live_subscriptions", "Live subscriptions open",
     [](const SyncReport&, const RelayStatus& relay) { return number(relay.live_subscriptions); }},
    {"ngit_sync_live_filters", "Filters followed live",
     [](const SyncReport&, const RelayStatus& relay) { return number(relay.live_filters); }},
    {"ngit_sync_rotating_filters", "Filters that do not fit live and are asked in turn",
     [](const SyncReport&, const RelayStatus& relay) { return number(relay.rotating_filters); }},
    {"ngit_sync_live_share", "Share of the filters that is live, 0 to 1",
     [](const SyncReport&, const RelayStatus& relay) { return sync::live_share(relay); }},
    {"ngit_sync_pending_batches", "Batches of history under way or waiting for another try",
     [](const SyncReport&, const RelayStatus& relay) { return number(relay.batches.size()); }},
    {"ngit_sync_missing_events", "Events it promised and did not deliver",
     [](const SyncReport&, const RelayStatus& relay) {
       return number(relay.ids_lost + relay.ids_given_up);
     }},
    {"ngit_sync_filters_parked", "Filters it refuses, asked again after a day",
     [](const SyncReport&, const RelayStatus& relay) { return number(relay.filters_parked); }},
    {"ngit_sync_target_repositories", "Repositories followed on it",
     [](const SyncReport&, const RelayStatus& relay) { return number(relay.target_repos); }},
    {"ngit_sync_target_threads", "Issues, patches and pull requests followed on it",
     [](const SyncReport&, const RelayStatus& relay) { return number(relay.target_roots); }},
    {"ngit_sync_confirmed_repositories", "Repositories whose history was read from it",
     [](const SyncReport&, const RelayStatus& relay) { return number(relay.confirmed_repos); }},
    {"ngit_sync_confirmed_threads", "Threads whose history was read from it",
     [](const SyncReport&, const RelayStatus& relay) { return number(relay.confirmed_roots); }},
}};

constexpr std::array<Line, 19> kCounters{{
    {"ngit_sync_rereads_total", "Times all was read again: answers that looked whole were not",
     [](const SyncReport&, const RelayStatus& relay) { return number(relay.meter.rereads); }},
    {"ngit_sync_books_mended_total", "Times something was taken for read and was not: ours",
     [](const SyncReport&, const RelayStatus& relay) { return number(relay.meter.books_mended); }},
    {"ngit_sync_gap_events_total", "Events that live missed and history found",
     [](const SyncReport&, const RelayStatus& relay) { return number(relay.meter.gaps); }},
    {"ngit_sync_received_bytes_total", "Bytes of messages received",
     [](const SyncReport& report, const RelayStatus& relay) {
       return number(report.traffic_of(relay.url).bytes_in);
     }},
    {"ngit_sync_sent_bytes_total", "Bytes of messages sent",
     [](const SyncReport& report, const RelayStatus& relay) {
       return number(report.traffic_of(relay.url).bytes_out);
     }},
    {"ngit_sync_relay_uptime_seconds_total", "Seconds connected",
     [](const SyncReport&, const RelayStatus& relay) { return number(relay.uptime_seconds); }},
    {"ngit_sync_events_arrived_total", "Events that were asked for and came",
     [](const SyncReport&, const RelayStatus& relay) { return number(relay.meter.arrived); }},
    {"ngit_sync_events_first_seen_total", "Events stored because of this relay",
     [](const SyncReport&, const RelayStatus& relay) { return number(relay.meter.first_seen); }},
    {"ngit_sync_duplicates_dropped_total", "Known events dropped before verification",
     [](const SyncReport&, const RelayStatus& relay) { return number(relay.meter.duplicates); }},
    {"ngit_sync_requests_total", "Subscriptions opened",
     [](const SyncReport&, const RelayStatus& relay) { return number(relay.meter.requests); }},
    {"ngit_sync_pages_total", "Pages of history asked for",
     [](const SyncReport&, const RelayStatus& relay) { return number(relay.meter.pages); }},
    {"ngit_sync_negentropy_sessions_total", "Reconciliations opened",
     [](const SyncReport&, const RelayStatus& relay) {
       return number(relay.meter.reconciliations);
     }},
    {"ngit_sync_negentropy_rounds_total", "Rounds of reconciliations",
     [](const SyncReport&, const RelayStatus& relay) {
       return number(relay.meter.reconciliation_rounds);
     }},
    {"ngit_sync_ids_lost_total", "Events promised and not delivered at first",
     [](const SyncReport&, const RelayStatus& relay) { return number(relay.meter.ids_lost); }},
    {"ngit_sync_ids_recovered_total", "Of those, events that came later",
     [](const SyncReport&, const RelayStatus& relay) { return number(relay.meter.ids_recovered); }},
    {"ngit_sync_rate_limits_total", "Pauses it asked for",
     [](const SyncReport&, const RelayStatus& relay) { return number(relay.meter.rate_limits); }},
    {"ngit_sync_timeouts_total", "Requests without answer or progress",
     [](const SyncReport&, const RelayStatus& relay) { return number(relay.meter.timeouts); }},
    {"ngit_sync_consolidations_total", "Times its live filters were made larger and fewer",
     [](const SyncReport&, const RelayStatus& relay) {
       return number(relay.meter.consolidations);
     }},
    {"ngit_sync_events_unmatched_total", "Events sent that were not asked for",
     [](const SyncReport&, const RelayStatus& relay) { return number(relay.meter.unmatched); }},
}};

// ---- several numbers per relay, or none

OfRelay labelled(
    std::string label,
    std::function<std::vector<std::pair<std::string, std::uint64_t>>(const RelayStatus& relay)>
        read) {
  return [label = std::move(label), read = std::move(read)](
             const SyncReport&, const RelayStatus& relay, const Labels& labels, Samples& out) {
    for (const auto& [value, count] : read(relay)) {
      Labels with = labels;
      with[label] = value;
      out.emplace_back(std::move(with), number(count));
    }
  };
}

void add_outcomes(const sync::Hydration& hydration, const std::string& phase, const Labels& labels,
                  Samples& out) {
  if (hydration.requested == 0) return;
  const std::pair<const char*, std::uint64_t> outcomes[] = {
      {"requested", hydration.requested},         {"delivered", hydration.delivered},
      {"not_delivered", hydration.not_delivered}, {"saved", hydration.saved},
      {"duplicate", hydration.duplicate},         {"purgatory", hydration.held},
      {"rejected_other", hydration.refused},      {"rejected_invalid", hydration.forged},
      {"persistence_error", hydration.unjudged},
  };
  for (const auto& [outcome, count] : outcomes) {
    Labels with = labels;
    with["phase"] = phase;
    with["outcome"] = outcome;
    out.emplace_back(std::move(with), number(count));
  }
}

void add_labelled(Registry& registry, const ReadSyncReport& report) {
  using Counts = std::vector<std::pair<std::string, std::uint64_t>>;
  const auto add = [&](const char* name, const char* help, const char* label, auto read) {
    registry.read_counters(name, help, per_relay(report, labelled(label, read)));
  };
  add("ngit_sync_connection_attempts_total", "Connections tried", "result",
      [](const RelayStatus& relay) -> Counts {
        return {{"success", relay.meter.dials_succeeded}, {"failure", relay.meter.dials_failed}};
      });
  add("ngit_sync_policy_refusals_total", "Requests refused by policy", "category",
      [](const RelayStatus& relay) -> Counts {
        const auto& refusals = relay.meter.policy_refusals;
        return {refusals.begin(), refusals.end()};
      });
  add("ngit_sync_batches_total", "Batches of history that ended", "result",
      [](const RelayStatus& relay) -> Counts {
        return {{"done", relay.meter.batches_done}, {"failed", relay.meter.batches_failed}};
      });
  add("ngit_sync_events_not_stored_total", "Events that came and were not stored", "reason",
      [](const RelayStatus& relay) -> Counts {
        return {{"rejected", relay.meter.rejected},
                {"held", relay.meter.held},
                {"postponed", relay.meter.postponed},
                {"forged", relay.meter.forged}};
      });
  registry.read_counters("ngit_sync_hydration_events_total",
                         "Events asked for by id, and what became of them",
                         per_relay(report, [](const SyncReport&, const RelayStatus& relay,
                                              const Labels& labels, Samples& out) {
                           add_outcomes(relay.meter.stream, "stream", labels, out);
                           add_outcomes(relay.meter.recovery, "recovery", labels, out);
                         }));
}

void add_optional(Registry& registry, const ReadSyncReport& report) {
  const auto add = [&](const char* name, const char* help, auto read) {
    registry.read_gauges(name, help,
                         per_relay(report, [read](const SyncReport& seen, const RelayStatus& relay,
                                                  Labels labels, Samples& out) {
                           const std::optional<double> value = read(seen, relay);
                           if (value) out.emplace_back(std::move(labels), *value);
                         }));
  };
  using Value = std::optional<double>;
  add("ngit_sync_coverage_ratio", "Of the events reconciled last, the share it has, 0 to 1",
      [](const SyncReport&, const RelayStatus& relay) -> Value {
        const auto [has, all] = relay.coverage;
        return all == 0 ? Value() : number(has) / number(all);
      });
  add("ngit_sync_seconds_since_last_event", "Seconds since it sent an event",
      [](const SyncReport& seen, const RelayStatus& relay) -> Value {
        if (!relay.last_event) return std::nullopt;
        return std::max(0.0, static_cast<double>(seen.taken_at - *relay.last_event));
      });
  add("ngit_sync_lag_seconds", "For how long the copy may lack something; 0 while live works",
      [](const SyncReport& seen, const RelayStatus& relay) -> Value {
        const auto lag = sync::lag_seconds(relay, seen.taken_at);
        return lag ? Value(number(*lag)) : Value();
      });
}

// ---- of all relays together

void add_events(Registry& registry, const ReadSyncReport& report,
                const std::function<std::uint64_t()>& direct) {
  registry.read_counter("ngit_sync_events_synced_total", "Events newly stored by sync",
                        [report] { return number(report()->status.meter.synced()); });
  registry.read_counters("ngit_sync_events_total", "Events newly stored, by how they came",
                         [report, direct] {
                           const sync::Meter meter = report()->status.meter;
                           return Samples{{{{"source", "direct"}}, number(direct())},
                                          {{{"source", "live"}}, number(meter.stored_live)},
                                          {{{"source", "historic"}}, number(meter.stored_historic)},
                                          {{{"source", "daily"}}, number(meter.stored_daily)}};
                         });
  registry.read_counters(
      "ngit_sync_transient_req_watchdog_total", "Requests ended for want of progress", [report] {
        Samples samples;
        for (const auto& [request_class, count] : report()->status.meter.watchdog)
          samples.emplace_back(Labels{{"class", request_class}, {"outcome", "closed"}},
                               number(count));
        return samples;
      });
}

void add_totals(Registry& registry, const ReadSyncReport& report) {
  const auto gauge = [&](const char* name, const char* help, auto read) {
    registry.read_gauge(name, help, [report, read] { return number(read(*report())); });
  };
  gauge("ngit_sync_relays_tracked_total", "Relays found",
        [](const SyncReport& seen) { return seen.status.relays.size(); });
  gauge("ngit_sync_relays_connected_total", "Relays connected",
        [](const SyncReport& seen) { return sync::totals_of(seen).connected; });
  gauge("ngit_sync_relays_dead_total", "Relays that failed for a day",
        [](const SyncReport& seen) { return sync::totals_of(seen).dead; });
  gauge("ngit_sync_relays_in_trouble", "Relays that are not reachable, or have gaps or limits",
        [](const SyncReport& seen) { return sync::totals_of(seen).in_trouble; });
  gauge("ngit_sync_repositories", "Repositories followed",
        [](const SyncReport& seen) { return seen.status.repos.size(); });
  gauge("ngit_sync_threads", "Issues, patches and pull requests followed",
        [](const SyncReport& seen) { return seen.status.roots; });
  registry.read_counter("ngit_sync_urls_ignored_total", "Relay URLs that are none",
                        [report] { return number(report()->status.meter.urls_ignored); });
  registry.read_counter("ngit_sync_relays_refused_total", "Relays that had to wait for a place",
                        [report] { return number(report()->status.meter.relays_refused); });
  registry.read_gauges("ngit_sync_relays_waiting", "Relays that wait for a place", [report] {
    const sync::WaitingRelays waiting = report()->status.waiting;
    return Samples{{{{"limit", "owner"}}, number(waiting.for_owner)},
                   {{{"limit", "host"}}, number(waiting.for_host)},
                   {{{"limit", "all"}}, number(waiting.for_any)}};
  });
}

Samples retained_state(const SyncReport& report) {
  std::uint64_t batches = 0, subscriptions = 0, repairs = 0, rotations = 0;
  for (const RelayStatus& relay : report.status.relays) {
    batches += relay.batches.size();
    subscriptions += relay.history_subscriptions;
    repairs += relay.live_repairs;
    rotations += relay.rotating_filters;
  }
  return {{{{"class", "pending_batches"}}, number(batches)},
          {{{"class", "pending_subscriptions"}}, number(subscriptions)},
          {{{"class", "queued_connection_attempts"}}, number(report.status.dials_waiting)},
          {{{"class", "pending_live_repairs"}}, number(repairs)},
          {{{"class", "descendant_rotations"}}, number(rotations)}};
}

Samples naughty_relays(const SyncReport& report) {
  const auto with = [&](sync::DialProblem problem) {
    const auto& relays = report.status.relays;
    return static_cast<double>(std::count_if(
        relays.begin(), relays.end(), [&](const auto& relay) { return relay.problem == problem; }));
  };
  return {{{{"category", "dns_lookup_failed"}}, with(sync::DialProblem::Name)},
          {{{"category", "tls_certificate_invalid"}}, with(sync::DialProblem::Tls)},
          {{{"category", "protocol_error"}}, with(sync::DialProblem::NotARelay)}};
}

}  // namespace

void add_sync_metrics(Registry& registry, const ReadSyncReport& report,
                      const std::function<std::uint64_t()>& direct) {
  for (const Line& line : kGauges)
    registry.read_gauges(line.name, line.help, per_relay(report, one(line.read)));
  for (const Line& line : kCounters)
    registry.read_counters(line.name, line.help, per_relay(report, one(line.read)));
  add_labelled(registry, report);
  add_optional(registry, report);
  add_events(registry, report, direct);
  add_totals(registry, report);
  registry.read_gauges("ngit_sync_retained_state_current", "What sync keeps in mind",
                       [report] { return retained_state(*report()); });
  registry.read_gauges("ngit_sync_naughty_relays_total", "Relays that fail for a lasting reason",
                       [report] { return naughty_relays(*report()); });
}

}  // namespace graspd::serve
