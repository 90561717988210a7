#include "app/import_ngit/ngit_intake.h"

#include <algorithm>
#include <future>
#include <utility>

#include "app/import_ngit/flat_event.h"
#include "grasp/purgatory.h"
#include "nostr/replaceable.h"
#include "nostr/serialize.h"

namespace graspd::app {
namespace {

using core::Done;
using core::Failure;
using Checked = core::Result<Done, std::string>;
using Verified = core::Result<nostr::WireEventPtr, std::string>;

constexpr std::size_t kBatch = 2'000;

// Holding, history and tombstone records: signed by throw-away keys, never served.
constexpr std::uint16_t kInternalFirst = 9905, kInternalLast = 9907;

bool is_internal(const nostr::Event& event) {
  return event.kind.value >= kInternalFirst && event.kind.value <= kInternalLast;
}

std::vector<Verified> verify(std::span<const std::string> lines) {
  nostr::JsonReader reader;
  std::vector<Verified> verified;
  for (const std::string& line : lines) verified.push_back(verified_event(reader, line));
  return verified;
}

std::vector<Verified> verify_on(std::size_t threads, const std::vector<std::string>& lines) {
  const std::size_t share = lines.size() / std::max<std::size_t>(1, threads) + 1;
  std::vector<std::future<std::vector<Verified>>> slices;
  for (std::size_t first = 0; first < lines.size(); first += share) {
    const auto slice = std::span(lines).subspan(first, std::min(share, lines.size() - first));
    slices.push_back(std::async(std::launch::async, verify, slice));
  }
  std::vector<Verified> all;
  for (auto& slice : slices) std::ranges::move(slice.get(), std::back_inserter(all));
  return all;
}

// What no repository can be made of is left behind.
void hold(grasp::Purgatory& purgatory, const grasp::Held& held, grasp::Transition& changes) {
  const nostr::Event& event = held.event->event;
  if (event.kind == grasp::kinds::kAnnouncement) {
    if (auto announcement = grasp::parse_announcement(event))
      purgatory.hold_announcement(announcement->coordinate, held, changes);
  } else if (event.kind == grasp::kinds::kState) {
    if (auto state = grasp::parse_state(event)) purgatory.hold_state({held, *state}, changes);
  } else if (event.kind == grasp::kinds::kPullRequest ||
             event.kind == grasp::kinds::kPullRequestUpdate) {
    purgatory.hold_pull({held, grasp::parse_pull_request(event)}, changes);
  }
}

}  // namespace

Checked NgitIntake::take(const lmdb::NgitStore& from) {
  Checked result = Done{};
  auto read = from.for_each([&](lmdb::Bytes value) {
    if (!result) return;
    const auto event = nostr::parse_flat_event(value);
    if (!event) {
      ++counts_.unreadable;
      return;
    }
    result = take(*event);
  });
  return read ? result : read;
}

Checked NgitIntake::take(const nostr::Event& event) {
  add(event);
  if (batch_.size() < kBatch) return Done{};
  return write_batch();
}

Checked NgitIntake::finish() { return write_batch(); }

void NgitIntake::add(const nostr::Event& event) {
  if (is_internal(event)) {
    ++counts_.internal;
    return;
  }
  batch_.push_back(nostr::to_json(event));
}

void NgitIntake::bad(const std::string& reason) {
  ImportReport& report = counts_.report;
  ++report.invalid;
  if (report.first_bad.size() < ImportReport::kBadLinesShown)
    report.first_bad.push_back({report.lines, reason});
}

Checked NgitIntake::write_batch() {
  std::vector<store::Write> writes;
  for (Verified& event : verify_on(options_.threads, std::exchange(batch_, {}))) {
    ++counts_.report.lines;
    if (!event) {
      bad(event.error());
      continue;
    }
    good((*event)->event);
    if (nostr::is_ephemeral((*event)->event.kind)) {
      ++counts_.report.ephemeral;
      continue;
    }
    if (is_refused(**event, counts_.report.lines, options_.limits, options_.now, counts_.report))
      continue;
    const bool vanish = nostr::asks_to_vanish_from((*event)->event, options_.self);
    writes.push_back({*std::move(event), vanish});
  }
  if (!options_.store || writes.empty()) return Done{};
  const auto written = options_.store->write(writes, options_.now);
  if (!written) return Failure{std::string(store::describe(written.error()))};
  for (const store::Written& one : *written) count(counts_.report, one.outcome);
  return Done{};
}

core::Result<std::vector<nostr::WireEventPtr>, std::string> NgitIntake::read(
    const lmdb::NgitStore& from) {
  nostr::JsonReader reader;
  std::vector<nostr::WireEventPtr> events;
  const auto done = from.for_each([&](lmdb::Bytes value) {
    const auto event = nostr::parse_flat_event(value);
    if (!event) {
      ++counts_.unreadable;
    } else if (is_internal(*event)) {
      ++counts_.internal;
    } else if (auto verified = verified_event(reader, nostr::to_json(*event))) {
      events.push_back(*std::move(verified));
    } else {
      bad(verified.error());
    }
  });
  if (!done) return Failure{done.error()};
  return events;
}

std::vector<store::Note> NgitIntake::waiting(const SavedPurgatory& saved) {
  nostr::JsonReader reader;
  grasp::Purgatory purgatory;
  grasp::Transition changes;
  for (const auto& entry : saved.entries) {
    const auto event = verified_event(reader, nostr::to_json(entry.event));
    if (!event) {
      bad(event.error());
      continue;
    }
    // Nobody could push while it was stopped.
    constexpr std::uint64_t kLongest = 24 * 3600;
    const auto left = static_cast<core::UnixSeconds>(std::min(entry.expires_in, kLongest));
    const grasp::Held held{*event, options_.now + left, false, entry.synced};
    hold(purgatory, held, changes);
  }
  return changes.all<store::Note>();
}

}  // namespace graspd::app
