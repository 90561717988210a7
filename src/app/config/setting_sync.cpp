#include <fmt/format.h>

#include "app/config/setting_groups.h"
#include "app/config/setting_row.h"

namespace graspd::app {
namespace {

using namespace row;

constexpr std::uint64_t kDayMs = 24ULL * 3600 * 1000;

Setting sync_bootstrap() {
  const auto parse = [](Settings& settings, std::string_view text) {
    return take(parse_relays(text), [&](std::vector<nostr::RelayUrl> relays) {
      settings.sync.engine.bootstrap = std::move(relays);
    });
  };
  const auto print = [](const Settings& settings) {
    std::vector<std::string> texts;
    texts.reserve(settings.sync.engine.bootstrap.size());
    for (const nostr::RelayUrl& relay : settings.sync.engine.bootstrap)
      texts.push_back(relay.text());
    return fmt::format("{}", fmt::join(texts, ","));
  };
  return {"SYNC_BOOTSTRAP_RELAY_URL",
          Group::Sync,
          "urls",
          "Relays to follow always, comma-separated; wss:// if no scheme is given",
          parse,
          print,
          "none"};
}

// What the relays that are followed may cost, all together and each.
void add_relay_limits(std::vector<Setting>& rows) {
  constexpr auto kGroup = Group::Sync;
  rows.push_back(number("SYNC_MAX_RELAYS", kGroup, "Relays to follow in total; 0: no limit",
                        FIELD(sync.engine.places.all)));
  rows.push_back(number("SYNC_MAX_RELAYS_PER_OWNER", kGroup,
                        "Relays to follow for the repositories of one author; 0: no limit",
                        FIELD(sync.engine.places.per_owner)));
  rows.push_back(number("SYNC_MAX_RELAYS_PER_HOST", kGroup,
                        "Relays to follow on one host name or address; 0: no limit",
                        FIELD(sync.engine.places.per_host)));
  rows.push_back(number("SYNC_MAX_EVENTS_PER_MINUTE_PER_RELAY", kGroup,
                        "New events per minute from one relay, in bursts of up to ten minutes' "
                        "worth; a relay that sends more is read slowly; 0: no limit",
                        FIELD(sync.intake.events_per_minute)));
  rows.push_back(size("SYNC_MAX_BYTES_PER_MINUTE_PER_RELAY", kGroup,
                      "Bytes per minute from one relay, with the same bursts; 0: no limit",
                      FIELD(sync.intake.bytes_per_minute)));
  rows.push_back(number("SYNC_MAX_NEW_REPOSITORIES_PER_RELAY", kGroup,
                        "Unknown repositories that one relay may introduce per day; the rest are "
                        "requested again later; bootstrap relays are exempt; 0: no limit",
                        FIELD(host.policy.new_repositories_per_relay)));
  rows.push_back(size("SYNC_MAX_HELD_BYTES", kGroup,
                      "Memory for incomplete messages and undecided events of all relays; beyond "
                      "that the relay that holds most is dropped; 0: no limit",
                      FIELD(sync.held_bytes_max)));
}

}  // namespace

void add_sync(std::vector<Setting>& rows) {
  constexpr auto kGroup = Group::Sync;
  rows.push_back(common(boolean("SYNC_ENABLED", kGroup,
                                "Follow the other relays of the repositories hosted here",
                                FIELD(sync_enabled))));
  rows.push_back(common(sync_bootstrap()));
  rows.push_back(time<std::chrono::milliseconds>(
      "SYNC_BATCH_WINDOW_MS", kGroup, "number",
      "How long to collect new repositories and threads before requesting them",
      FIELD(sync.engine.batch_window), Zero::MeansAtOnce, 1, kDayMs));
  rows.push_back(
      seconds("SYNC_BASE_BACKOFF_SECS", kGroup,
              "First delay before reconnecting to a failed relay; doubles with each failure",
              FIELD(sync.engine.backoff_base), Zero::MeansAtOnce));
  rows.push_back(seconds("SYNC_MAX_BACKOFF_SECS", kGroup,
                         "Longest delay between two connection attempts",
                         FIELD(sync.engine.backoff_max), Zero::MeansAtOnce));
  rows.push_back(boolean("SYNC_DISABLE_NEGENTROPY", kGroup,
                         "Read history page by page instead of by NIP-77",
                         FIELD(sync.engine.negentropy), false));
  add_relay_limits(rows);
  rows.push_back(boolean("SYNC_ALLOW_NON_GLOBAL_TARGETS", kGroup,
                         "Connect to loopback and private addresses that announcements name",
                         FIELD(sync.allow_private_addresses)));
  rows.push_back(words("SYNC_CA_FILE", kGroup, "path",
                       "PEM file with CA certificates to trust in addition to the system's",
                       FIELD(sync.dialer.extra_ca_file), "none"));
  rows.push_back(seconds("REJECTED_HOT_CACHE_DURATION_SECS", kGroup,
                         "Minimum time to keep announcements and states that were rejected because "
                         "a maintainer's announcement is missing",
                         FIELD(host.policy.rejected_whole), Zero::MeansAtOnce));
  rows.push_back(seconds("REJECTED_COLD_INDEX_EXPIRY_SECS", kGroup,
                         "How long to remember the ids of rejected events",
                         FIELD(host.policy.rejected.memory), Zero::MeansAtOnce));
  rows.push_back(time<std::chrono::hours>(
      "NAUGHTY_LIST_EXPIRATION_HOURS", kGroup, "number",
      "How long to avoid hosts with a persistent fault (DNS, certificate, protocol)",
      FIELD(fetch.scheduler.aside_for), Zero::MeansAtOnce, 0,
      std::numeric_limits<std::uint64_t>::max()));
}

void add_git_fetch(std::vector<Setting>& rows) {
  constexpr auto kGroup = Group::Sync;
  rows.push_back(boolean("GIT_FETCH_ENABLED", kGroup,
                         "Fetch missing git data from the clone URLs of announcements",
                         FIELD(git_fetch_enabled)));
  rows.push_back(seconds("GIT_FETCH_DELAY_SECS", kGroup,
                         "How long to wait for the author's push before fetching",
                         FIELD(fetch.scheduler.push_expected), Zero::MeansAtOnce));
  rows.push_back(number("GIT_FETCH_CONCURRENCY", kGroup, "Concurrent git fetches; 0: two per core",
                        FIELD(fetch.scheduler.concurrency)));
  rows.push_back(number("GIT_FETCH_PER_DOMAIN", kGroup, "Concurrent fetches per host",
                        FIELD(fetch.scheduler.domain_concurrency), 1));
  rows.push_back(number("GIT_FETCH_PER_DOMAIN_PER_MINUTE", kGroup,
                        "Git commands per minute to one host; 0: no limit",
                        FIELD(fetch.scheduler.domain_commands_per_minute)));
  rows.push_back(size("MAX_GIT_FETCH_BYTES", kGroup, "Size of one fetch",
                      FIELD(fetch.fetch.pack_bytes_max), 1));
  rows.push_back(seconds(
      "VERIFY_INTERVAL_SECS", kGroup,
      "How often to verify each repository, object by object, against its signed state; 0: never",
      FIELD(verifier.plan.interval)));
}

}  // namespace graspd::app
