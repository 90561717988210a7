#include "serve/relay/relay_metrics.h"

#include "net/clock.h"
#include "serve/runtime/number_metrics.h"

namespace graspd::serve {
namespace {

using metrics::Registry;

void add_connections(Registry& registry, const RelayServer& relay) {
  const Meters& meters = relay.meters();
  add_gauge(registry, "ngit_websocket_connections_active", "Open WebSocket connections",
            meters.connections_active);
  add_counter(registry, "ngit_websocket_connections_total", "WebSocket connections since start",
              meters.connections_total);
  registry.read_gauge("ngit_websocket_unique_ips", "Addresses with an open connection",
                      [&relay] { return static_cast<double>(relay.clients().addresses()); });
  registry.read_gauge(
      "ngit_websocket_flagged_abusers", "Addresses with more connections than the threshold",
      [&relay] { return static_cast<double>(relay.clients().suspicious_addresses()); });
  add_gauge(registry, "ngit_websocket_subscriptions_active", "Open subscriptions",
            meters.subscriptions);
  add_counter(registry, "ngit_websocket_fell_behind_total",
              "Clients whose subscriptions were closed because they did not read",
              meters.fell_behind);
}

void add_messages(Registry& registry, const Meters& meters) {
  for (std::size_t i = 0; i < meters.heard.size(); ++i)
    add_counter(registry, "ngit_websocket_messages_received_total", "Messages from clients",
                meters.heard[i], {{"type", std::string(Meters::heard_text(i))}});
  for (std::size_t i = 0; i < meters.sent.size(); ++i)
    add_counter(registry, "ngit_websocket_messages_sent_total", "Messages to clients",
                meters.sent[i], {{"type", std::string(Meters::sent_text(i))}});
}

void add_events(Registry& registry, const Meters& meters) {
  for (std::size_t label = 0; label < kKindLabels; ++label) {
    std::string kind(kind_label_text(label));
    add_counter(registry, "ngit_events_received_total", "Events sent by clients",
                meters.received[label], {{"kind", kind}});
    add_counter(registry, "ngit_events_stored_total", "Events newly stored", meters.stored[label],
                {{"kind", kind}});
  }
  add_counter(registry, "ngit_events_duplicate_total", "Events already stored", meters.duplicates);
  add_counter(registry, "ngit_events_duplicate_unverified_total",
              "Events recognised as stored before their signature was checked",
              meters.duplicates_before_verification);
  add_counter(registry, "ngit_events_superseded_total",
              "Replaceable events that came after a newer version", meters.superseded);
  add_counter(registry, "ngit_store_write_batches_total", "Write transactions",
              meters.write_batches);
  add_counter(registry, "ngit_store_write_failures_total", "Write transactions that failed",
              meters.write_failures);
}

void add_rejections(Registry& registry, const Meters& meters) {
  for (std::size_t label = 0; label < kKindLabels; ++label)
    for (std::size_t reason = 0; reason < Meters::kRejections; ++reason)
      add_counter(registry, "ngit_events_rejected_total", "Events refused",
                  meters.refused[label][reason],
                  {{"kind", std::string(kind_label_text(label))},
                   {"reason", std::string(Meters::text(Meters::Rejection(reason)))}});
}

void add_queries(Registry& registry, const Meters& meters) {
  add_counter(registry, "ngit_relay_queries_total", "REQ and COUNT read from the store",
              meters.queries);
  add_counter(registry, "ngit_relay_query_slices_total", "Reads of the store for them",
              meters.query_slices);
  add_counter(registry, "ngit_relay_reconciliations_total", "Negentropy sessions opened",
              meters.reconciliations);
}

}  // namespace

void add_relay_metrics(Registry& registry, const RelayServer& relay) {
  add_connections(registry, relay);
  add_messages(registry, relay.meters());
  add_events(registry, relay.meters());
  add_rejections(registry, relay.meters());
  add_queries(registry, relay.meters());
}

void add_build_metrics(Registry& registry, std::string_view version) {
  registry.gauge("ngit_build_info", "The running build", {{"version", std::string(version)}})
      .set(1);
  registry.read_counter("ngit_uptime_seconds", "Seconds since start", [start = net::now().instant] {
    return static_cast<double>((net::now().instant - start).count()) / 1000;
  });
}

}  // namespace graspd::serve
