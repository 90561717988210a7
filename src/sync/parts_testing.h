// For tests of the parts of a session: one connected relay without an engine.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "sync/books.h"
#include "sync/refusals.h"

namespace graspd::sync::parts_testing {

using namespace std::chrono_literals;

inline nostr::EventId id(std::uint32_t number) {
  nostr::EventId::Bytes bytes{};
  for (int i = 0; i < 4; ++i) bytes[i] = static_cast<std::uint8_t>(number >> (8 * i));
  return nostr::EventId(bytes);
}

struct Bench {
  core::Now now{core::Instant(1h), 1'800'000'000};
  SessionContext context;
  RelayMemory memory;
  PeerContext peer;
  ReadingPauses reading{peer};
  Authentication authentication{peer};
  Wires wires;
  Refusals refusals;

  explicit Bench(Options options = {}, Lessons lessons = {})
      : context(std::move(options), core::Rng(1)),
        memory{.id = RelayId{1},
               .url = *nostr::RelayUrl::parse("wss://a.example"),
               .lessons = std::move(lessons)},
        peer(context, memory, Session{7}),
        wires(peer, authentication, reading, now),
        refusals(peer, wires, authentication) {}

  void pass(core::Duration span) {
    now.instant += span;
    now.unix_seconds += span / 1s;
  }
  // Those that were asked for since the last call.
  template <class T>
  std::vector<T> take() {
    std::vector<T> out;
    for (const Action& action : std::exchange(context.actions, {})) {
      if (const T* one = std::get_if<T>(&action)) out.push_back(*one);
    }
    return out;
  }
  // A repository that is followed on the relay.
  RepoId follow(const std::string& name) {
    const RepoId repo = context.index.repo({{30617}, {}, name});
    const Repo before = context.index.at(repo);
    context.index.follow(repo, Level::Full, {memory.id});
    context.targets.repo_changed(context.index, repo, before);
    return repo;
  }
  void unfollow(RepoId repo) {
    const Repo before = context.index.at(repo);
    context.index.unfollow(repo);
    context.targets.repo_changed(context.index, repo, before);
  }
  const Items& target() const { return context.targets.of(memory.id); }
  Sub open(Wire::Purpose purpose, JobKey job = {}) {
    Wire wire;
    wire.purpose = purpose;
    wire.job = job;
    return wires.open(now, std::move(wire), Source::Historic, {nostr::Filter{}});
  }
  Sub reconcile(JobKey job = {}) {
    Wire wire;
    wire.job = job;
    wires.open_reconciliation(now, std::move(wire), {}, {});
    const Sub sub{context.subs};
    wires.find(sub)->sent = true;
    return sub;
  }
};

// One filter with so many values, from `first`.
inline Slice slice(FilterClass filter_class, std::uint32_t values, std::uint32_t first = 0) {
  Slice out{filter_class, {}};
  for (std::uint32_t i = 0; i < values; ++i) out.ids.push_back(first + i);
  return out;
}

struct NoTurns : TurnKeeper {
  std::vector<core::UnixSeconds> ended;
  void turn_ended(core::Now, core::UnixSeconds started, const ReadValues&) override {
    ended.push_back(started);
  }
};

struct NoHistory : GapReader {
  bool rotating = false;
  std::size_t dropped = 0;
  Excluded parked;
  bool is_rotating() const override { return rotating; }
  void drop_turn() override { ++dropped; }
  void park(core::Now, FilterClass filter_class, std::uint32_t value) override {
    parked.emplace(filter_class, value);
  }
};

}  // namespace graspd::sync::parts_testing
