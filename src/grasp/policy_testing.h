// A server without sockets and git, for tests of the policy: it stores what the policy takes, and
// has the git data that a test says it has.
#pragma once
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "grasp/policy.h"
#include "grasp/references.h"
#include "nostr/nip19.h"
#include "store/testing/events.h"
#include "store/testing/memory_store.h"

namespace graspd::grasp::testing {

using store::testing::author;
using store::testing::event;
using Events = std::vector<nostr::WireEventPtr>;
using Rows = std::vector<std::vector<std::string>>;

inline constexpr core::UnixSeconds kStart = 1'000'000;
inline constexpr std::uint32_t kOperator = 99;

inline nostr::Tags tags(const Rows& rows) {
  nostr::Tags all;
  for (const auto& row : rows) {
    all.begin_row();
    for (const std::string& item : row) all.append(item);
  }
  return all;
}

inline Coordinate coordinate(std::uint32_t owner, std::string_view identifier = "project") {
  return {author(owner), *Identifier::parse(identifier)};
}
inline std::string address(std::uint32_t owner, std::string_view identifier = "project") {
  return coordinate(owner, identifier).announcement_address().text();
}

struct Announced {
  core::UnixSeconds at = kStart;
  std::string identifier = "project";
  std::vector<std::uint32_t> maintainers = {};
  Rows more = {};
  bool listed = true;  // this service, in clone and relays
};
inline nostr::WireEventPtr announcement(std::uint32_t owner, const Announced& with = {}) {
  const std::string host = with.listed ? "us.example" : "them.example";
  const std::string npub = nostr::nip19::npub(author(owner));
  Rows rows{{"d", with.identifier},
            {"clone", fmt::format("https://{}/{}/{}.git", host, npub, with.identifier)},
            {"relays", "wss://" + host}};
  if (!with.maintainers.empty()) {
    auto& row = rows.emplace_back(std::vector<std::string>{"maintainers"});
    for (const std::uint32_t key : with.maintainers) row.push_back(author(key).hex());
  }
  rows.insert(rows.end(), with.more.begin(), with.more.end());
  return event(owner, 30617, with.at, tags(rows));
}

inline std::string oid(char digit) { return std::string(40, digit); }

inline nostr::WireEventPtr state(std::uint32_t by, char commit = 'a', core::UnixSeconds at = kStart,
                                 std::string_view identifier = "project") {
  Rows rows{{"d", std::string(identifier)}};
  if (commit != 0) rows.push_back({"refs/heads/main", oid(commit)});
  return event(by, 30618, at, tags(rows));
}

inline nostr::WireEventPtr pull_request(std::uint32_t by, std::uint32_t owner, char commit = 'b',
                                        core::UnixSeconds at = kStart) {
  return event(by, 1618, at, tags({{"a", address(owner)}, {"c", oid(commit)}}));
}

inline nostr::WireEventPtr deletion(std::uint32_t by, const Rows& targets,
                                    core::UnixSeconds at = kStart) {
  return event(by, 5, at, tags(targets));
}

inline PolicyOptions options() {
  PolicyOptions options;
  options.service = *Service::parse("us.example");
  options.relay = nostr::RelayUrl::parse("wss://us.example");
  options.operator_key = author(kOperator);
  return options;
}

// What was to be done besides writing, by what it is.
struct Performed {
  std::set<Identifier> recheck;
  std::vector<Coordinate> asleep, purge;
  std::vector<nostr::EventId> lost_pulls;
  std::vector<std::string> lost_uploads;
  std::vector<Departed> ended_threads;
  std::vector<Coordinate> recalled_threads, lost_threads;
  std::vector<Retry> retry, due;
  std::map<nostr::RelayUrl, std::vector<nostr::EventId>> wanted_again;

  template <class Written>
    requires std::is_constructible_v<store::Change, Written>
  void operator()(const Written&) {}
  void operator()(const AlignGroup& align) { recheck.insert(align.identifier); }
  void operator()(const RemoveRepository& remove) {
    (remove.why == RemoveRepository::Why::NoData ? asleep : purge).push_back(remove.coordinate);
  }
  void operator()(const DropPullRefs& drop) { lost_pulls.push_back(drop.pull); }
  void operator()(const DiscardUpload& upload) { lost_uploads.push_back(upload.token); }
  void operator()(const ArchiveThreads& threads) { ended_threads.push_back(threads.gone); }
  void operator()(const RestoreThreads& threads) { recalled_threads.push_back(threads.coordinate); }
  void operator()(const ForgetThreads& threads) { lost_threads.push_back(threads.coordinate); }
  void operator()(const Retry& again) {
    retry.push_back(again);
    due.push_back(again);
  }
  void operator()(const AskAgain& ask) { wanted_again[ask.relay].push_back(ask.id); }
};

class World {
 public:
  explicit World(PolicyOptions with = options())
      : options_(std::move(with)), policy_(std::make_unique<Policy>(options_, store_)) {}

  // All at once, as events that arrive together: decided one after the other, then written. What
  // waited for them follows. Each answer as a person reads it: "stored", "purgatory" or the text.
  std::vector<std::string> send_together(const Events& events, bool synced = false) {
    std::vector<std::string> answers;
    Transition changes;
    Events accepted;
    for (const auto& wire : events) {
      Verdict verdict = policy_->decide(wire, {synced, relay, client}, now, changes);
      if (std::holds_alternative<Take>(verdict)) accepted.push_back(wire);
      answers.push_back(answer(verdict));
    }
    write(accepted, changes);
    perform(changes);
    return answers;
  }
  std::string send(const nostr::WireEventPtr& wire, bool synced = false) {
    return send_together({wire}, synced).front();
  }
  // The same, but the disk fails.
  void send_in_vain(const nostr::WireEventPtr& wire) {
    Transition changes;
    policy_->decide(wire, {}, now, changes);
    policy_->fail();
  }

  // The same, but the server dies as soon as it is written.
  void send_last(const nostr::WireEventPtr& wire) {
    Transition changes;
    const Verdict verdict = policy_->decide(wire, {}, now, changes);
    store::SortedChanges written;
    written.add(changes.take_writes());
    std::vector<store::Write> last;
    if (std::holds_alternative<Take>(verdict))
      last.push_back({wire, nostr::asks_to_vanish_from(wire->event, *options_.relay)});
    for (const auto& restored : written.restored) last.push_back({restored, false});
    ASSERT_TRUE(store_.write({last, written.removals, written.notes, written.revoked}, now));
    restart();
  }

  // What git data releases.
  void release(const Events& events) {
    Transition changes;
    write(events, changes, true);
    perform(changes);
  }
  // Announces, and brings the data.
  nostr::WireEventPtr serve(std::uint32_t owner, const Announced& with = {}) {
    const auto announced = announcement(owner, with);
    send(announced);
    const auto first = state(owner, 'a', with.at, with.identifier);
    send(first);
    release({announced, first});
    return announced;
  }

  void pass(core::UnixSeconds seconds) {
    now += seconds;
    Transition changes;
    policy_->expire(now, changes);
    perform(changes);
  }
  void restart() {
    policy_ = std::make_unique<Policy>(options_, store_);
    ASSERT_TRUE(policy_->load(now));
  }

  // What the policy knows, and what it would know after a restart.
  std::map<std::string, std::string> contents() const { return policy_->current().contents(); }
  std::map<std::string, std::string> contents_after_restart() const {
    Policy other(options_, store_);
    EXPECT_TRUE(other.load(now));
    return other.current().contents();
  }

  bool has(const nostr::WireEventPtr& wire) const {
    return (*store_.snapshot())->contains(wire->event.id);
  }
  bool holds(const nostr::WireEventPtr& wire) const {
    const Purgatory& held = known().purgatory();
    const auto identifier = Identifier::parse(wire->event.tags.first("d").value_or(""));
    const Held* found = held.pull(wire->event.id);
    if (identifier && wire->event.kind == kinds::kAnnouncement)
      found = held.announcement({wire->event.pubkey, *identifier});
    if (identifier && wire->event.kind == kinds::kState)
      found = held.state({wire->event.pubkey, *identifier});
    return found && found->event->event.id == wire->event.id;
  }
  bool is_open(std::uint32_t owner) const { return known().is_open(coordinate(owner)); }
  bool may_rule(std::uint32_t who, std::uint32_t owner) const {
    return known().catalog().authority(coordinate(owner)).contains(author(who));
  }
  std::optional<nostr::EventId> ruling(std::uint32_t owner) const {
    const auto ruling = known().ruling(coordinate(owner));
    return ruling ? std::optional(ruling->version.id) : std::nullopt;
  }
  std::vector<std::string> notes(std::string_view prefix) const {
    std::vector<std::string> keys;
    const auto visit = [&](std::string_view key, std::string_view) { keys.emplace_back(key); };
    EXPECT_TRUE((*store_.snapshot())->notes(prefix, visit));
    return keys;
  }

  Policy& policy() { return *policy_; }
  const PolicySnapshot& known() const { return policy_->current(); }
  store::MemoryStore& store() { return store_; }

  core::UnixSeconds now = kStart;
  Performed performed;  // all that was to be done besides, ever
  // Where synced events come from.
  std::shared_ptr<const nostr::RelayUrl> relay =
      std::make_shared<const nostr::RelayUrl>(*nostr::RelayUrl::parse("wss://peer.example"));
  std::optional<core::IpAddress> client;  // of whoever sends the others

 private:
  static std::string answer(const Verdict& verdict) {
    if (const auto* wait = std::get_if<Wait>(&verdict))
      return wait->text == kInPurgatory ? "purgatory" : wait->text;
    if (const auto* refuse = std::get_if<Refuse>(&verdict)) return refuse->text;
    return std::holds_alternative<Take>(verdict) ? "stored" : "purgatory";
  }

  void write(const Events& events, Transition& changes, bool released = false) {
    std::vector<store::Write> writes;
    for (const auto& wire : events) {
      const bool vanish = nostr::asks_to_vanish_from(wire->event, *options_.relay);
      writes.push_back({wire, vanish});
      if (released)
        for (store::Note& note : policy_->notes_of_release(wire->event))
          changes.put_note(std::move(note));
    }
    store::SortedChanges sorted;
    sorted.add(changes.take_writes());
    const Events& restored = sorted.restored;
    for (const auto& wire : restored) writes.push_back({wire, false});
    const auto written = store_.write({writes, sorted.removals, sorted.notes, sorted.revoked}, now);
    ASSERT_TRUE(written);
    for (std::size_t i = 0; i < events.size(); ++i) {
      const auto outcome = (*written)[i].outcome;
      released ? policy_->released(events[i], outcome, changes)
               : policy_->settled(events[i], outcome, now, changes);
    }
    for (std::size_t i = 0; i < restored.size(); ++i)
      policy_->settled(restored[i], (*written)[events.size() + i].outcome, now, changes);
    policy_->commit();
  }

  void perform(Transition& changes) {
    write({}, changes);
    for (Change& change : changes.take()) std::visit(performed, change);
    for (const Retry& again : std::exchange(performed.due, {}))
      send(again.event, again.origin.synced);
  }

  const PolicyOptions options_;
  store::MemoryStore store_;
  std::unique_ptr<Policy> policy_;
};

}  // namespace graspd::grasp::testing
