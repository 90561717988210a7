#include "git/fetch_domains.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

#include "core/check.h"

namespace graspd::git::fetch {
namespace {

constexpr core::Duration kMinute = std::chrono::minutes(1);

std::size_t within(const std::deque<core::Instant>& starts, core::Instant now) {
  const auto first =
      std::ranges::find_if(starts, [&](core::Instant at) { return at + kMinute > now; });
  return static_cast<std::size_t>(starts.end() - first);
}

// When fewer than `limit` of the starts lie within the last minute.
std::optional<core::Instant> free_at(const std::deque<core::Instant>& starts, std::size_t limit,
                                     core::Instant now) {
  if (within(starts, now) < limit) return std::nullopt;
  return starts[starts.size() - limit] + kMinute;
}

void forget_old(std::deque<core::Instant>& starts, core::Instant now) {
  while (!starts.empty() && starts.front() + kMinute <= now) starts.pop_front();
}

core::Duration doubled(core::Duration base, std::uint32_t times, core::Duration max) {
  core::Duration pause = base;
  for (std::uint32_t i = 0; i < times && pause < max; ++i) pause *= 2;
  return std::min(pause, max);
}

}  // namespace

std::string site_of(const FetchUrl& url) { return fmt::format("{}:{}", url.host(), url.port()); }

Domains::Domains(const Options& options) : options_(options) {
  auto& limit = options_.domain_commands_per_minute;
  if (limit == 0) limit = std::numeric_limits<std::size_t>::max();
  options_.commands_per_fetch_min =
      std::clamp<std::size_t>(options_.commands_per_fetch_min, 1, limit);
}

Readiness Domains::ready(const FetchUrl& url, Kind kind, core::Instant now) const {
  const auto site = sites_.find(site_of(url));
  if (site != sites_.end() && site->second.out_until > now)
    return NotReady{*site->second.why, site->second.out_until};
  const auto at = domains_.find(url.host());
  static const Domain kIdle;
  const Domain& domain = at == domains_.end() ? kIdle : at->second;
  if (domain.paused_until > now) return NotReady{FetchFailure::RateLimited, domain.paused_until};
  if (domain.running >= options_.domain_concurrency) return ReadyLater{};
  if (site != sites_.end() && site->second.failures > 0 && site->second.running > 0)
    return ReadyLater{};  // R5
  if (const auto later = share_of(domain, kind, now); later.at) return later;
  if (kind != Kind::Batch) return Ready{};
  const std::size_t left = options_.domain_commands_per_minute - within(domain.starts, now);
  return Ready{std::min(left, options_.commands_per_fetch_max)};
}

// Without a time: at once.
ReadyLater Domains::share_of(const Domain& domain, Kind kind, core::Instant now) const {
  const std::size_t needed = kind == Kind::Batch ? options_.commands_per_fetch_min : 1;
  auto at = free_at(domain.starts, options_.domain_commands_per_minute - needed + 1, now);
  if (kind != Kind::Single) return {at};
  at = std::max(at, free_at(domain.starts, options_.singles_below, now));
  return {std::max(at, free_at(domain.singles, options_.domain_singles_per_minute, now))};
}

Ticket Domains::start(const FetchUrl& url, Kind kind, std::size_t commands, core::Instant now) {
  make_space(now);
  Ticket ticket{url.host(), site_of(url), now, commands};
  Domain& domain = domains_[ticket.host];
  forget_old(domain.starts, now);
  forget_old(domain.singles, now);
  domain.starts.insert(domain.starts.end(), commands, now);
  if (kind == Kind::Single) domain.singles.push_back(now);
  ++domain.running;
  Site& site = sites_[ticket.site];
  ++site.running;
  site.used = now;
  return ticket;
}

bool Domains::end(const Ticket& ticket, std::size_t commands_used,
                  std::optional<FetchFailure> failure, std::optional<core::Duration> retry_after,
                  core::Instant now) {
  Domain& domain = domains_.at(ticket.host);
  Site& site = sites_.at(ticket.site);
  CHECK(domain.running > 0 && site.running > 0);
  --domain.running;
  --site.running;
  auto unused = ticket.commands - std::clamp<std::size_t>(commands_used, 1, ticket.commands);
  while (unused-- > 0) {  // R1
    const auto at = std::ranges::find(domain.starts, ticket.started);
    if (at != domain.starts.end()) domain.starts.erase(at);
  }
  if (failure == FetchFailure::RateLimited)
    domain.paused_until = now + std::clamp(retry_after.value_or(options_.rate_pause),
                                           options_.rate_pause, options_.rate_pause_max);
  if (failure) return blame(site, *failure, now);
  site.failures = 0;
  site.why.reset();
  site.out_until = {};
  site.has_served = true;
  return false;
}

bool Domains::blame(Site& site, FetchFailure failure, core::Instant now) {
  if (failure == FetchFailure::NotGit && site.has_served) return false;  // R4
  switch (failure) {
    case FetchFailure::Name:
    case FetchFailure::Forbidden:
    case FetchFailure::Tls:
    case FetchFailure::NotGit:
      ++site.failures;
      site.why = failure;
      site.out_until = now + options_.aside_for;
      return true;
    case FetchFailure::Unreachable:
    case FetchFailure::TimedOut:
      site.out_until = now + doubled(options_.site_pause, site.failures, options_.site_pause_max);
      [[fallthrough]];
    case FetchFailure::Broken:
    case FetchFailure::Stalled:
      ++site.failures;
      site.why = failure;
      return false;
    case FetchFailure::Unauthorized:
    case FetchFailure::NotFound:
    case FetchFailure::RateLimited:
    case FetchFailure::Lacks:
    case FetchFailure::TooLarge:
    case FetchFailure::Corrupt:
    case FetchFailure::OurFault:
    case FetchFailure::Stopped:
      return false;
  }
  return false;
}

// What is forgotten is idle, and would be as good as new. More sites than we remember cannot be
// busy within a minute: the concurrency of all forbids it long before.
void Domains::make_space(core::Instant now) {
  if (domains_.size() >= options_.domains_remembered)
    std::erase_if(domains_, [&](const auto& entry) {
      const Domain& domain = entry.second;
      return domain.running == 0 && within(domain.starts, now) == 0 && domain.paused_until <= now;
    });
  if (sites_.size() >= 2 * options_.domains_remembered)
    std::erase_if(sites_, [&](const auto& entry) {
      const Site& site = entry.second;
      return site.running == 0 && site.used + kMinute <= now;
    });
}

Standing Domains::standing(const FetchUrl& url) const {
  const auto at = sites_.find(site_of(url));
  if (at == sites_.end()) return Standing::Unknown;
  if (at->second.failures > 0) return Standing::Failing;
  return at->second.has_served ? Standing::Good : Standing::Unknown;
}

std::vector<DomainStatus> Domains::domains(core::Instant now) const {
  std::vector<DomainStatus> all;
  for (const auto& [host, domain] : domains_) {
    DomainStatus status{host, domain.running, within(domain.starts, now), std::nullopt};
    if (domain.paused_until > now) status.paused_until = domain.paused_until;
    if (status.running > 0 || status.used_in_last_minute > 0 || status.paused_until)
      all.push_back(std::move(status));
  }
  return all;
}

std::vector<SiteStatus> Domains::sites_in_trouble(core::Instant now) const {
  std::vector<SiteStatus> all;
  for (const auto& [name, site] : sites_) {
    if (site.failures == 0) continue;
    SiteStatus status{name, site.why, std::nullopt, site.failures};
    if (site.out_until > now) status.out_until = site.out_until;
    all.push_back(std::move(status));
  }
  return all;
}

}  // namespace graspd::git::fetch
