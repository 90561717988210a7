#include "git/fetch_urls.h"

#include <algorithm>

namespace graspd::git::fetch {
namespace {

bool is_about_the_url(FetchFailure failure) {
  switch (failure) {
    case FetchFailure::NotGit:  // of a site that is: see fetch_domains.h
    case FetchFailure::Unauthorized:
    case FetchFailure::NotFound:
    case FetchFailure::Broken:
    case FetchFailure::Stalled:
    case FetchFailure::TooLarge:
    case FetchFailure::Corrupt:
      return true;
    case FetchFailure::Name:
    case FetchFailure::Forbidden:
    case FetchFailure::Unreachable:
    case FetchFailure::TimedOut:
    case FetchFailure::Tls:
    case FetchFailure::RateLimited:
    case FetchFailure::Lacks:
    case FetchFailure::OurFault:
    case FetchFailure::Stopped:
      return false;
  }
  return false;
}

// To find out again takes gigabytes.
bool is_expensive(FetchFailure failure) {
  return failure == FetchFailure::TooLarge || failure == FetchFailure::Corrupt;
}
constexpr std::uint32_t kStrikesOfExpensive = 5;  // a quarter of an hour at once

}  // namespace

Urls::Note& Urls::note(const FetchUrl& url, core::Instant now) {
  const auto by_use = [](const auto& a, const auto& b) { return a.second.used < b.second.used; };
  if (notes_.size() >= options_.urls_remembered && !notes_.contains(url))
    notes_.erase(std::ranges::min_element(notes_, by_use));
  Note& note = notes_[url];
  note.used = now;
  return note;
}

void Urls::advertised(const FetchUrl& url, std::uint64_t digest, core::Instant now) {
  Note& known = note(url, now);
  known.strikes = 0;
  known.why.reset();
  if (known.digest == digest) return;
  known.digest = digest;
  known.misses.clear();
}

void Urls::missed(const FetchUrl& url, const std::vector<Oid>& oids, core::Instant now) {
  Note& known = note(url, now);
  if (known.misses.size() + oids.size() > options_.misses_per_url_max)
    std::erase_if(known.misses, [&](const auto& miss) { return miss.second <= now; });
  for (const Oid& oid : oids)
    if (known.misses.size() < options_.misses_per_url_max || known.misses.contains(oid))
      known.misses[oid] = now + options_.misses_for;
}

std::optional<core::Instant> Urls::missed_until(const FetchUrl& url, const Oid& oid) const {
  const auto at = notes_.find(url);
  if (at == notes_.end()) return std::nullopt;
  const auto miss = at->second.misses.find(oid);
  if (miss == at->second.misses.end()) return std::nullopt;
  return miss->second;
}

bool Urls::is_missed(const FetchUrl& url, const Oid& oid, core::Instant now) const {
  return missed_until(url, oid) > now;
}

void Urls::failed(const FetchUrl& url, FetchFailure failure, core::Instant now) {
  if (!is_about_the_url(failure)) return;
  Note& known = note(url, now);
  if (is_expensive(failure)) known.strikes = std::max(known.strikes, kStrikesOfExpensive);
  core::Duration pause = options_.url_pause;
  for (std::uint32_t i = 0; i < known.strikes && pause < options_.aside_for; ++i) pause *= 2;
  known.out_until = now + std::min(pause, options_.aside_for);
  known.why = failure;
  ++known.strikes;
}

void Urls::clear_failures(const FetchUrl& url) {
  const auto at = notes_.find(url);
  if (at == notes_.end()) return;
  const auto why = at->second.why;
  if (why == FetchFailure::NotFound || why == FetchFailure::Unauthorized) at->second.out_until = {};
}

std::optional<FetchFailure> Urls::left_alone(const FetchUrl& url, core::Instant now) const {
  const auto at = notes_.find(url);
  if (at == notes_.end() || at->second.out_until <= now) return std::nullopt;
  return at->second.why;
}

}  // namespace graspd::git::fetch
