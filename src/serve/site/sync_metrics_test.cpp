#include "serve/site/sync_metrics.h"

#include <gtest/gtest.h>

#include "web/sync_report_testing.h"

namespace graspd::serve {
namespace sync_metrics_test {

using namespace sync::testing;

class SyncMetrics : public ::testing::Test {
 protected:
  SyncMetrics() {
    add_sync_metrics(registry_, [this] { return seen_; }, [] { return std::uint64_t{100}; });
  }
  void see(sync::SyncReport report) {
    seen_ = std::make_shared<const sync::SyncReport>(std::move(report));
  }
  bool has(const std::string& line) {
    text_ = "\n" + registry_.render();
    return text_.find("\n" + line + "\n") != std::string::npos;
  }

  std::shared_ptr<const sync::SyncReport> seen_ = std::make_shared<const sync::SyncReport>();
  metrics::Registry registry_;
  std::string text_;
};

TEST_F(SyncMetrics, ShowHowEachRelayFares) {
  sync::SyncReport seen = report({well("wss://a"), failing("wss://b"), with_gap("wss://c")});
  seen.traffic["wss://a"] = {1000, 50};
  see(seen);
  for (const char* line :
       {R"(ngit_sync_relay_connected{relay="wss://a"} 3)",
        R"(ngit_sync_relay_connected{relay="wss://b"} 0)",
        R"(ngit_sync_relay_connected{relay="wss://c"} 4)",
        R"(ngit_sync_relay_status{relay="wss://a"} 1)",
        R"(ngit_sync_relay_status{relay="wss://b"} 3)",
        R"(ngit_sync_relay_failures{relay="wss://b"} 3)",
        R"(ngit_sync_connection_attempts_total{relay="wss://b",result="failure"} 3)",
        R"(ngit_sync_connection_attempts_total{relay="wss://a",result="success"} 1)",
        R"(ngit_sync_received_bytes_total{relay="wss://a"} 1000)",
        R"(ngit_sync_sent_bytes_total{relay="wss://a"} 50)",
        R"(ngit_sync_coverage_ratio{relay="wss://a"} 0.98)",
        R"(ngit_sync_seconds_since_last_event{relay="wss://a"} 30)",
        R"(ngit_sync_lag_seconds{relay="wss://b"} 3600)",
        R"(ngit_sync_live_share{relay="wss://a"} 1)",
        R"(ngit_sync_missing_events{relay="wss://c"} 2)",
        R"(ngit_sync_pending_batches{relay="wss://c"} 1)"})
    EXPECT_TRUE(has(line)) << line << text_;
  EXPECT_FALSE(has(R"(ngit_sync_seconds_since_last_event{relay="wss://b"} 0)"));
}

TEST_F(SyncMetrics, CountEventsByTheWayTheyCame) {
  sync::SyncReport seen = report({});
  seen.status.meter.stored_live = 5;
  seen.status.meter.stored_historic = 60;
  seen.status.meter.stored_daily = 1;
  see(seen);
  EXPECT_TRUE(has("ngit_sync_events_synced_total 66"));
  EXPECT_TRUE(has(R"(ngit_sync_events_total{source="direct"} 100)")) << text_;
  EXPECT_TRUE(has(R"(ngit_sync_events_total{source="historic"} 60)"));
}

TEST_F(SyncMetrics, CountRelaysAndTheirTroubles) {
  sync::RelayStatus dead = failing("wss://d");
  dead.health = sync::HealthState::Dead;
  dead.problem = sync::DialProblem::Tls;
  see(report({well("wss://a"), syncing("wss://b"), dead}));
  EXPECT_TRUE(has("ngit_sync_relays_tracked_total 3"));
  EXPECT_TRUE(has("ngit_sync_relays_connected_total 2"));
  EXPECT_TRUE(has("ngit_sync_relays_dead_total 1"));
  EXPECT_TRUE(has(R"(ngit_sync_naughty_relays_total{category="tls_certificate_invalid"} 1)"));
  EXPECT_TRUE(has(R"(ngit_sync_naughty_relays_total{category="dns_lookup_failed"} 0)"));
  EXPECT_TRUE(has(R"(ngit_sync_retained_state_current{class="pending_batches"} 1)"));
}

TEST_F(SyncMetrics, CountRefusalsAndEventsAskedForById) {
  sync::RelayStatus relay = well("wss://a");
  relay.meter.policy_refusals["restricted"] = 2;
  relay.meter.stream = {.requested = 10, .delivered = 9, .not_delivered = 1, .saved = 8};
  sync::SyncReport seen = report({relay});
  seen.status.meter.watchdog["historic_page"] = 4;
  see(seen);
  for (const char* line :
       {R"(ngit_sync_policy_refusals_total{category="restricted",relay="wss://a"} 2)",
        R"(ngit_sync_hydration_events_total{outcome="saved",phase="stream",relay="wss://a"} 8)",
        R"(ngit_sync_transient_req_watchdog_total{class="historic_page",outcome="closed"} 4)"})
    EXPECT_TRUE(has(line)) << line << text_;
}

TEST_F(SyncMetrics, GoWithTheirRelay) {  // R2
  see(report({failing("wss://gone")}));
  EXPECT_TRUE(has(R"(ngit_sync_relay_failures{relay="wss://gone"} 3)"));
  see(report({}));
  has("");
  EXPECT_EQ(text_.find("wss://gone"), std::string::npos);
}

}  // namespace sync_metrics_test
}  // namespace graspd::serve
