#include "app/config/setting_sync.h"

#include <fmt/format.h>

#include "app/config/setting_row.h"

namespace graspd::app {
namespace {

using namespace row;

constexpr std::uint64_t kDayMs = 24ULL * 3600 * 1000;

Setting sync_bootstrap() {
  const auto parse = [](Settings& settings, std::string_view text) {
    return take(parse_relays(text), [&](std::vector<nostr::RelayUrl> relays) {
      settings.sync_bootstrap = std::move(relays);
    });
  };
  const auto print = [](const Settings& settings) {
    std::vector<std::string> texts;
    texts.reserve(settings.sync_bootstrap.size());
    for (const nostr::RelayUrl& relay : settings.sync_bootstrap) texts.push_back(relay.text());
    return fmt::format("{}", fmt::join(texts, ","));
  };
  return {"SYNC_BOOTSTRAP_RELAY_URL",
          Group::Sync,
          "urls",
          "Relays that are always followed, comma-separated; wss:// when no scheme is written",
          parse,
          print,
          "none"};
}

// What the relays that are followed may cost, all together and each.
void add_relay_limits(std::vector<Setting>& rows) {
  constexpr auto kGroup = Group::Sync;
  rows.push_back(number("SYNC_MAX_RELAYS", kGroup, "Relays followed at most; 0: no limit",
                        FIELD(sync_places.all)));
  rows.push_back(number("SYNC_MAX_RELAYS_PER_OWNER", kGroup,
                        "Of these for the repositories of one author; 0: no limit",
                        FIELD(sync_places.per_owner)));
  rows.push_back(number("SYNC_MAX_RELAYS_PER_HOST", kGroup,
                        "Of these on one host name or address; 0: no limit",
                        FIELD(sync_places.per_host)));
  rows.push_back(number("SYNC_MAX_EVENTS_PER_MINUTE_PER_RELAY", kGroup,
                        "New events from one relay; ten minutes' worth may come at once, the rest "
                        "is read slowly; 0: no limit",
                        FIELD(sync_intake.events_per_minute)));
  rows.push_back(size("SYNC_MAX_BYTES_PER_MINUTE_PER_RELAY", kGroup,
                      "The same for everything that a relay sends",
                      FIELD(sync_intake.bytes_per_minute)));
  rows.push_back(number("SYNC_MAX_NEW_REPOSITORIES_PER_RELAY", kGroup,
                        "Repositories not known here that one relay may bring in a day, bootstrap "
                        "relays excepted; the others are asked for again; 0: no limit",
                        FIELD(sync_new_repositories_per_relay)));
  rows.push_back(size("SYNC_MAX_HELD_BYTES", kGroup,
                      "Memory for what all relays send and has not come whole or is not decided; "
                      "beyond, the relay that holds most is dropped; 0: no limit",
                      FIELD(sync_held_bytes_max)));
}

}  // namespace

void add_sync(std::vector<Setting>& rows) {
  constexpr auto kGroup = Group::Sync;
  rows.push_back(boolean("SYNC_ENABLED", kGroup,
                         "Follow the other relays of the repositories hosted here",
                         FIELD(sync_enabled)));
  rows.push_back(sync_bootstrap());
  rows.push_back(number("SYNC_BATCH_WINDOW_MS", kGroup,
                        "New repositories and threads are collected so long before they are "
                        "asked for",
                        FIELD(sync_batch_window_ms), 1, kDayMs));
  rows.push_back(seconds("SYNC_BASE_BACKOFF_SECS", kGroup,
                         "A relay that fails is tried again after this, then after twice that",
                         FIELD(sync_backoff_base), Zero::MeansAtOnce));
  rows.push_back(seconds("SYNC_MAX_BACKOFF_SECS", kGroup, "Longest time between two tries",
                         FIELD(sync_backoff_max), Zero::MeansAtOnce));
  rows.push_back(boolean("SYNC_DISABLE_NEGENTROPY", kGroup,
                         "Read history page by page, without NIP-77",
                         FIELD(sync_without_negentropy)));
  rows.push_back(number("SYNC_MAX_TAGS_PER_FILTER", kGroup,
                        "Values in one tag filter while budgets allow",
                        FIELD(sync_values_per_filter), 1));
  rows.push_back(number("SYNC_CONSOLIDATE_AT", kGroup,
                        "Live filters on a connection before they are packed anew",
                        FIELD(sync_consolidate_at), 1));
  add_relay_limits(rows);
  rows.push_back(boolean("SYNC_ALLOW_NON_GLOBAL_TARGETS", kGroup,
                         "Connect to loopback and private addresses that announcements name",
                         FIELD(sync_non_global_targets)));
  rows.push_back(words("SYNC_CA_FILE", kGroup, "path",
                       "Certificates of authorities to believe besides the system's, as PEM",
                       FIELD(sync_ca_file), "none"));
  rows.push_back(seconds("REJECTED_HOT_CACHE_DURATION_SECS", kGroup,
                         "Announcements and states refused for lack of a maintainer are kept "
                         "whole at least so long",
                         FIELD(rejected_hot), Zero::MeansAtOnce));
  rows.push_back(seconds("REJECTED_COLD_INDEX_EXPIRY_SECS", kGroup,
                         "Ids of refused events are remembered so long", FIELD(rejected_cold),
                         Zero::MeansAtOnce));
  rows.push_back(number("NAUGHTY_LIST_EXPIRATION_HOURS", kGroup,
                        "Hosts that fail for reasons of their own are left alone so long",
                        FIELD(naughty_hours)));
}

void add_git_fetch(std::vector<Setting>& rows) {
  constexpr auto kGroup = Group::Sync;
  rows.push_back(boolean("GIT_FETCH_ENABLED", kGroup,
                         "Fetch git data that is missing from the clone URLs of announcements",
                         FIELD(git_fetch_enabled)));
  rows.push_back(seconds("GIT_FETCH_DELAY_SECS", kGroup,
                         "A push by whoever published the event is waited for so long",
                         FIELD(git_fetch_delay), Zero::MeansAtOnce));
  rows.push_back(number("GIT_FETCH_CONCURRENCY", kGroup,
                        "Git commands that fetch at a time; 0: two per core",
                        FIELD(git_fetch_concurrency)));
  rows.push_back(number("GIT_FETCH_PER_DOMAIN", kGroup, "Of these from one host",
                        FIELD(git_fetch_per_domain), 1));
  rows.push_back(number("GIT_FETCH_PER_DOMAIN_PER_MINUTE", kGroup,
                        "Git commands that ask one host in a minute; 0: no limit",
                        FIELD(git_fetch_per_domain_per_minute)));
  rows.push_back(size("MAX_GIT_FETCH_BYTES", kGroup, "One fetch", FIELD(git_fetch_bytes_max), 1));
  rows.push_back(seconds("VERIFY_INTERVAL_SECS", kGroup,
                         "Each repository is compared with its signed state, object by object, so "
                         "often; 0: never",
                         FIELD(verify_interval)));
}

}  // namespace graspd::app
