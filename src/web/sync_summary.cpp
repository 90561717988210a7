#include "web/sync_summary.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "core/check.h"

namespace graspd::sync {
namespace {

constexpr std::size_t kWordsBytesMax = 300;  // of a peer

// R3
std::string one_line(const std::string& text) {
  std::size_t end = std::min(text.size(), kWordsBytesMax);
  while (end < text.size() && end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
    --end;
  std::string line = text.substr(0, end);
  std::replace_if(
      line.begin(), line.end(),
      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
  return end < text.size() ? line + "…" : line;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& part : parts) {
    if (!part.empty()) out += (out.empty() ? "" : "; ") + part;
  }
  return out;
}

std::string when(const char* what, std::optional<core::UnixSeconds> at, core::UnixSeconds now) {
  if (!at) return {};
  return *at <= now ? fmt::format("{} now", what) : fmt::format("{} in {}", what, span(*at - now));
}

bool is_up(const RelayStatus& relay) {
  return relay.link == LinkState::Syncing || relay.link == LinkState::Connected ||
         relay.link == LinkState::ConnectedWithGaps;
}

SyncSummary unreachable(const RelayStatus& relay, core::UnixSeconds now) {
  const bool is_dead = relay.health == HealthState::Dead;
  const bool is_trying = relay.link != LinkState::Disconnected;
  return {Tone::Bad, is_dead ? "dead" : "not reachable",
          joined({one_line(relay.why), fmt::format("failed {}", counted(relay.failures, "time")),
                  is_trying ? "trying now" : when("next try", relay.next_try, now)})};
}

SyncSummary paused(const RelayStatus& relay, core::UnixSeconds now) {
  return {Tone::Warn, "paused",
          joined({"the relay asked us to slow down", when("resumes", relay.paused_until, now)})};
}

SyncSummary refused(const RelayStatus& relay) {
  std::string categories;
  for (const auto& [category, times] : relay.meter.policy_refusals)
    categories += (categories.empty() ? "" : ", ") + category;
  return {Tone::Warn, "refuses some requests",
          joined({categories, "retried once a day", missing_in(relay)})};
}

SyncSummary with_gaps(const RelayStatus& relay, core::UnixSeconds now) {
  std::vector<std::string> parts{missing_in(relay)};
  for (const BatchStatus& batch : relay.batches) {
    if (!batch.failed) continue;
    parts.push_back(joined({batch.why.empty() ? "a request failed" : one_line(batch.why),
                            when("next try", batch.retry_at, now)}));
    break;  // the others are on the page
  }
  return {Tone::Warn, "in sync, with gaps", joined(parts)};
}

// What is not sure to be whole is not called so, whatever else is well.
SyncSummary rereading(const RelayStatus& relay) {
  return {Tone::Warn, "reading again",
          joined({"what was read did not add up: " + relay.rereading, missing_in(relay)})};
}

SyncSummary not_live(const RelayStatus& relay) {
  return {
      Tone::Warn, "not live",
      joined({"the relay does not send new events", missing_in(relay), "retried automatically"})};
}

SyncSummary down(const RelayStatus& relay, core::UnixSeconds now) {
  if (relay.is_private)
    return {Tone::Idle, "left alone", "private server: public servers do not follow it"};
  if (relay.failures > 0 || relay.health == HealthState::Dead) return unreachable(relay, now);
  if (relay.link == LinkState::Connecting) return {Tone::Busy, "connecting", ""};
  if (relay.link == LinkState::Disconnecting) return {Tone::Busy, "closing", ""};
  return {Tone::Busy, "waiting", when("next try", relay.next_try, now)};
}

std::string_view is_or_are(std::size_t n) { return core::numbered(n, "is", "are"); }

std::string sentence(std::map<Tone, std::size_t>& tones, std::size_t all) {
  std::vector<std::string> parts;
  const auto say = [&](Tone tone, const char* what) {
    const std::size_t n = tones[tone];
    if (n == 0) return;
    parts.push_back(all == 1 ? fmt::format("the only relay is {}", what)
                             : fmt::format("{} of {} relays {} {}", n, all, is_or_are(n), what));
  };
  say(Tone::Bad, "not reachable");
  say(Tone::Warn, "followed with gaps or limits");
  say(Tone::Busy, "still catching up");
  if (!parts.empty()) return joined(parts);
  const std::size_t followed = tones[Tone::Good];
  if (followed == 1) return "complete: 1 relay followed, in sync";
  return fmt::format("complete: {} followed, all in sync", counted(followed, "relay"));
}

}  // namespace

const char* name(Tone tone) {
  switch (tone) {
    case Tone::Good:
      return "good";
    case Tone::Busy:
      return "busy";
    case Tone::Idle:
      return "idle";
    case Tone::Warn:
      return "warn";
    case Tone::Bad:
      return "bad";
  }
  CHECK(false);
  return "";
}

SyncSummary summary_of(const RelayStatus& relay, core::UnixSeconds now) {
  if (relay.paused_until) return paused(relay, now);
  if (!is_up(relay)) return down(relay, now);
  if (relay.health == HealthState::PolicyLimited) return refused(relay);
  if (!relay.rereading.empty()) return rereading(relay);
  const bool has_gaps = relay.link == LinkState::ConnectedWithGaps;
  if (has_gaps) return relay.live_repairs > 0 ? not_live(relay) : with_gaps(relay, now);
  if (relay.link == LinkState::Syncing)
    return {Tone::Busy, "catching up",
            joined({relay.over_budget ? "the relay exceeds its rate limit and is read slowly" : "",
                    missing_in(relay)})};
  return {Tone::Good, "in sync", missing_in(relay)};
}

namespace {

SyncSummary summary_of_relays(const SyncReport& report) {
  const Status& status = report.status;
  if (!status.feed_complete) return {Tone::Busy, "starting: reading our own events", ""};
  if (status.relays.empty())
    return {Tone::Good, "no other relays to follow: no repository here names one", ""};
  std::map<Tone, std::size_t> tones;
  for (const RelayStatus& relay : status.relays) ++tones[summary_of(relay, report.taken_at).tone];
  SyncSummary all{Tone::Good, sentence(tones, status.relays.size()), ""};
  for (const Tone tone : {Tone::Busy, Tone::Warn, Tone::Bad}) {
    if (tones[tone] > 0) all.tone = tone;
  }
  return all;
}

std::string repositories(std::size_t n) { return counted(n, "repository", "repositories"); }

std::string in_words(const std::string& trouble, std::optional<core::UnixSeconds> last,
                     const char* what, core::UnixSeconds now) {
  if (trouble.empty()) return last ? span(now - *last) + " ago" : "not yet";
  return last ? fmt::format("{} (last {} {} ago)", trouble, what, span(now - *last)) : trouble;
}

}  // namespace

SyncSummary summary_of(const SyncReport& report) {
  SyncSummary all = summary_of_relays(report);
  if (const std::size_t broken = totals_of(report).broken; broken > 0) {
    all.tone = std::max(all.tone, Tone::Warn);
    all.state +=
        fmt::format("; git data of {} {} damaged", repositories(broken), is_or_are(broken));
  }
  if (const std::size_t waiting = report.status.waiting.total(); waiting > 0)
    all.state += fmt::format("; {} not followed because of limits", counted(waiting, "more relay"));
  if (!report.trouble.empty()) return {Tone::Bad, report.trouble + "; sync: " + all.state, ""};
  return all;
}

std::string synced_in_words(const RepoStatus& repo, core::UnixSeconds now) {
  if (!repo.git) return {};
  return in_words(repo.git->behind, repo.git->synced_at, "synced", now);
}

std::string verified_in_words(const RepoStatus& repo, core::UnixSeconds now) {
  if (!repo.git) return {};
  return in_words(repo.git->problem, repo.git->verified_at, "verified", now);
}

std::string waiting_in_words(const WaitingRelays& waiting) {
  std::vector<std::string> parts;
  const auto say = [&](std::size_t n, const char* setting) {
    if (n > 0) parts.push_back(fmt::format("{} limited by NGIT_SYNC_MAX_RELAYS{}", n, setting));
  };
  say(waiting.for_owner, "_PER_OWNER");
  say(waiting.for_host, "_PER_HOST");
  say(waiting.for_any, "");
  std::string out;
  if (!parts.empty())
    out =
        fmt::format("{} for a free slot: {}",
                    counted(waiting.total(), "relay waits", "relays wait"), fmt::join(parts, ", "));
  if (waiting.overlooked > 0)
    out += fmt::format("{}{} not recorded: too many are waiting", out.empty() ? "" : "; ",
                       counted(waiting.overlooked, "relay"));
  return out;
}

std::string followed_in_words(const SyncReport& report) {
  const Status& status = report.status;
  const Totals totals = totals_of(report);
  const std::string git =
      totals.hosted == 0 ? ""
                         : fmt::format("; git data of {} hosted: {} synced, {} verified",
                                       repositories(totals.hosted), totals.synced, totals.verified);
  const std::string fetches =
      report.fetches.total == 0
          ? ""
          : fmt::format("; searching for git data of {}", repositories(report.fetches.total));
  const std::uint64_t synced = status.meter.synced(), late = status.meter.gaps;
  const std::string events = synced == 0 ? "no events" : counted(synced, "event");
  const std::string waiting = waiting_in_words(status.waiting);
  return fmt::format("{} and {} followed; {} stored by sync{}{}{}{}",
                     repositories(status.repos.size()), counted(status.roots, "thread"), events,
                     late == 0 ? "" : fmt::format(", {} of them found late", late), git, fetches,
                     waiting.empty() ? "" : "; " + waiting);
}

std::optional<std::uint64_t> lag_seconds(const RelayStatus& relay, core::UnixSeconds now) {
  if (is_up(relay) && relay.live_subscriptions > 0) return 0;
  if (!relay.last_alive) return std::nullopt;
  return static_cast<std::uint64_t>(std::max<core::UnixSeconds>(0, now - *relay.last_alive));
}

double live_share(const RelayStatus& relay) {
  const std::size_t all = relay.live_filters + relay.rotating_filters;
  if (all == 0) return is_up(relay) ? 1 : 0;
  return static_cast<double>(relay.live_filters) / static_cast<double>(all);
}

Totals totals_of(const SyncReport& report) {
  Totals totals;
  for (const RelayStatus& relay : report.status.relays) {
    const Tone tone = summary_of(relay, report.taken_at).tone;
    totals.connected += is_up(relay) ? 1 : 0;
    totals.dead += relay.health == HealthState::Dead ? 1 : 0;
    totals.in_trouble += tone == Tone::Warn || tone == Tone::Bad ? 1 : 0;
  }
  for (const RepoStatus& repo : report.status.repos) {
    if (!repo.git) continue;
    ++totals.hosted;
    totals.synced += repo.git->synced_at && repo.git->behind.empty() ? 1 : 0;
    totals.verified += repo.git->verified_at && repo.git->problem.empty() ? 1 : 0;
    totals.broken += repo.git->problem.empty() ? 0 : 1;
  }
  return totals;
}

std::string progress_of(const BatchStatus& batch) {
  const std::size_t all = batch.requests_done + batch.requests_left;
  std::string kind = name(batch.kind);
  std::replace(kind.begin(), kind.end(), '_', ' ');
  std::string out = fmt::format("{}: {} of {}, {}", kind, batch.requests_done,
                                counted(all, "request"), name(batch.method));
  if (batch.arrived > 0) out += ", " + counted(batch.arrived, "event");
  if (batch.ids_waiting > 0) out += fmt::format(", {} ids pending", batch.ids_waiting);
  return batch.failed ? out + ", failed" : out;
}

std::string missing_in(const RelayStatus& relay) {
  const std::uint64_t events = relay.ids_lost + relay.ids_given_up;
  return joined(
      {events > 0 ? counted(events, "event") + " missing" : "",
       relay.filters_parked > 0 ? counted(relay.filters_parked, "filter") + " refused" : "",
       relay.live_repairs > 0 ? counted(relay.live_repairs, "live subscription") + " refused"
                              : ""});
}

std::string span(std::int64_t seconds) {
  if (seconds < 120) return fmt::format("{} s", std::max<std::int64_t>(seconds, 0));
  if (seconds < 120 * 60) return fmt::format("{} min", seconds / 60);
  if (seconds < 48 * 3600) return fmt::format("{} h", seconds / 3600);
  return fmt::format("{} d", seconds / 86'400);
}

}  // namespace graspd::sync
