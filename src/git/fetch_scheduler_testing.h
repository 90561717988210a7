// Words for the tests of the fetch scheduler.
#pragma once
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "core/check.h"
#include "git/fetch_scheduler.h"

namespace graspd::git::fetch {

inline Oid oid(std::uint32_t number) {
  Oid::Bytes bytes{};
  for (std::size_t i = 0; i < 4; ++i) bytes[i] = static_cast<std::uint8_t>(number >> (8 * (3 - i)));
  bytes[19] = 1;  // never zero
  return Oid::from_span(bytes);
}

inline std::vector<Oid> oids(std::uint32_t first, std::uint32_t count) {
  std::vector<Oid> all;
  for (std::uint32_t i = 0; i < count; ++i) all.push_back(oid(first + i));
  return all;
}

inline FetchUrl url(const std::string& text) { return *FetchUrl::parse(text); }

inline core::Now at(core::Duration since_start) {
  return {core::Instant(std::chrono::hours(1) + since_start),
          1'700'000'000 + since_start.count() / 1000};
}

// A scheduler and its clock, for tests that play the world themselves.
class Bench {
 public:
  explicit Bench(Options options = {}) : scheduler(options, core::Rng(1)) {}

  FetchScheduler scheduler;
  core::Duration time{0};

  // Lets time pass and the alarms ring; collects what is asked for.
  std::vector<Action> wait(core::Duration duration) {
    std::vector<Action> all;
    const core::Duration end = time + duration;
    while (const auto next = alarm_before(end)) {
      time = *next;
      armed_.reset();
      const Actions asked = step(Alarm{});
      all.insert(all.end(), asked.begin(), asked.end());
    }
    time = end;
    return all;
  }
  Actions step(const Input& input) {
    Actions asked = scheduler.step(at(time), input);
    scheduler.check_invariants();
    for (const Action& action : asked)
      if (const auto* wake = std::get_if<WakeAt>(&action)) armed_ = wake->at;
    std::erase_if(asked, [](const Action& a) { return std::holds_alternative<WakeAt>(a); });
    return asked;
  }

 private:
  std::optional<core::Duration> alarm_before(core::Duration end) const {
    if (!armed_) return std::nullopt;
    const core::Duration rings = *armed_ - at(core::Duration(0)).instant;
    if (rings > end) return std::nullopt;
    return std::max(rings, time);
  }
  std::optional<core::Instant> armed_;
};

template <class T>
std::vector<T> only(const Actions& actions) {
  std::vector<T> all;
  for (const Action& action : actions)
    if (const auto* one = std::get_if<T>(&action)) all.push_back(*one);
  return all;
}

namespace words {

inline const Source kGrasp{url("https://grasp.example/npub/r.git"), true};
inline const Source kForge{url("https://forge.example/r.git"), false};
inline const Source kSameForge{url("https://forge.example/fork.git"), false};

inline Wanted state(std::vector<Oid> missing, std::vector<Source> sources,
                    const std::string& repo = "r") {
  return {{repo}, {"state of " + repo}, Reason::State, std::move(missing), std::move(sources),
          true};
}
inline Wanted pull(const std::string& id, std::vector<Oid> missing, std::vector<Source> sources) {
  return {{"r"}, {id}, Reason::PullRequest, std::move(missing), std::move(sources), true};
}

inline AdvertisementRead read(Attempt attempt, std::vector<Oid> advertised,
                              std::uint64_t digest = 1) {
  return {attempt, std::nullopt, std::nullopt, std::move(advertised), digest};
}
inline AdvertisementRead unread(Attempt attempt, FetchFailure failure) {
  return {attempt, failure, std::nullopt, {}, 0};
}
inline Fetched fetched(Attempt attempt, std::vector<Oid> here) {
  return {attempt, std::nullopt, std::nullopt, std::move(here), 100, 1};
}

// The one read it asks for within a second, which must be there.
inline ReadAdvertisement first_read(Bench& bench) {
  const auto reads = only<ReadAdvertisement>(bench.wait(std::chrono::seconds(1)));
  CHECK(reads.size() == 1);
  return reads.at(0);
}

}  // namespace words
}  // namespace graspd::git::fetch
