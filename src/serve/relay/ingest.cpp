#include "serve/relay/ingest.h"

#include <algorithm>

#include "core/counted.h"
#include "core/log.h"
#include "net/clock.h"
#include "nostr/replaceable.h"
#include "serve/relay/ingest_answers.h"

namespace graspd::serve {
Ingest::Ingest(store::EventStore& store, relay::Acceptance& acceptance, nostr::RelayUrl self,
               Meters& meters, const IngestOptions& options, Announce announce)
    : store_(store),
      acceptance_(acceptance),
      self_(std::move(self)),
      meters_(meters),
      options_(options),
      announce_(std::move(announce)) {
  CHECK(options_.verify_threads > 0);
  for (std::size_t i = 0; i < options_.verify_threads; ++i)
    verifiers_.emplace_back([this] { verify_loop(); });
  writer_ = std::thread([this] { write_loop(); });
}

Ingest::~Ingest() { stop(); }

void Ingest::stop() {
  closed_ = true;
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  to_verify_.notify_all();
  for (auto& thread : verifiers_)
    if (thread.joinable()) thread.join();
  to_write_.notify_all();
  if (writer_.joinable()) writer_.join();
}

bool Ingest::reserve(std::size_t bytes) {
  if (closed_) return false;
  std::size_t before = backlog_bytes_.fetch_add(bytes);
  if (before + bytes <= options_.backlog_bytes) return true;
  backlog_bytes_ -= bytes;
  return false;
}

void Ingest::release(std::size_t bytes) { backlog_bytes_ -= bytes; }

void Ingest::submit(std::vector<Submission> submissions) {
  bool many = submissions.size() > options_.verify_batch;
  {
    std::unique_lock lock(mutex_);
    if (stopping_) {
      lock.unlock();
      return turn_away(submissions);
    }
    std::ranges::move(submissions, std::back_inserter(submitted_));
  }
  many ? to_verify_.notify_all() : to_verify_.notify_one();
}

void Ingest::turn_away(const std::vector<Submission>& submissions) {
  CommitReport refusals;
  for (const Submission& submission : submissions)
    refusals.decisions.push_back(
        decision(submission, {nostr::Outcome::Failed, false, "error: the server is stopping"}));
  tell(std::move(refusals));
}

void Ingest::admit(Admission admission) {
  {
    std::lock_guard lock(mutex_);
    if (!written_last_) {
      admitted_.push_back(std::move(admission));
      to_write_.notify_one();
      return;
    }
  }
  if (admission.done) admission.done({}, false);
}

void Ingest::write_loop() {
  std::unique_lock lock(mutex_);
  while (true) {
    std::vector<Verified> batch = next_batch(lock);
    std::vector<Admission> admissions = std::exchange(admitted_, {});
    bool idle = batch.empty() && admissions.empty();
    written_last_ = idle && finished();
    if (written_last_) return;
    lock.unlock();
    if (idle)
      sweep_expired();
    else
      conclude(std::move(batch), std::move(admissions));
    lock.lock();
  }
}

bool Ingest::more_is_coming() const { return being_verified_ > 0 || !submitted_.empty(); }

bool Ingest::finished() const {
  return stopping_ && !more_is_coming() && verified_.empty() && admitted_.empty() && deferred_ == 0;
}

// R2. Empty when there is nothing to do, for a sweep interval or for good. Somebody waits for what
// is admitted: it goes at once.
std::vector<Ingest::Verified> Ingest::next_batch(std::unique_lock<std::mutex>& lock) {
  to_write_.wait_for(lock, options_.sweep_interval,
                     [this] { return !verified_.empty() || !admitted_.empty() || finished(); });
  if (verified_.empty()) return {};
  to_write_.wait_for(lock, options_.linger, [this] {
    return verified_.size() >= options_.write_batch || !more_is_coming() || !admitted_.empty();
  });
  std::vector<Verified> batch;
  std::size_t count = std::min(options_.write_batch, verified_.size());
  auto end = verified_.begin() + static_cast<std::ptrdiff_t>(count);
  batch.assign(std::move_iterator(verified_.begin()), std::move_iterator(end));
  verified_.erase(verified_.begin(), end);
  return batch;
}

void Ingest::sweep_expired() {
  auto removed = store_.remove_expired(net::now().unix_seconds, options_.write_batch);
  if (!removed)
    core::log::warn("sweeping expired events failed: {}", store::describe(removed.error()));
  else if (*removed > 0)
    core::log::info("removed {} expired events", *removed);
}

void Ingest::conclude(std::vector<Verified> batch, std::vector<Admission> admissions) {
  store::SortedChanges changes;
  for (Admission& admission : admissions) {
    if (admission.prepare) admission.prepare(admission.changes);
    changes.add(std::exchange(admission.changes, {}));
  }
  Round round;
  round.accepted.reserve(batch.size());
  for (Verified& item : batch) decide(std::move(item), round);
  CommitReport report = std::exchange(round.report, {});
  auto of_admissions = std::exchange(changes.restored, {});
  changes.add(std::exchange(round.changes, {}));
  round.restored = std::exchange(changes.restored, std::move(of_admissions));

  const auto written = write(round, admissions, changes);
  if (written) {
    const std::span all(*written);
    const std::size_t own = round.accepted.size() + round.restored.size();
    settle(round, all.first(own), report);
    settle(admissions, changes, all.subspan(own), report);
    acceptance_.committed();
  } else {
    fail(round, written.error(), report);
  }
  tell(std::move(report));

  std::size_t at = round.accepted.size() + round.restored.size();
  for (const Admission& admission : admissions) {
    const auto fates = written ? std::span(*written).subspan(at, admission.events.size())
                               : std::span<const store::Written>();
    if (admission.done) admission.done(fates, static_cast<bool>(written));
    at += admission.events.size();
  }
  if (!written) return;
  for (const Verified& item : round.deferred) proceed(item);
}

// R7. `written`: first the events of the admissions, then what they restore.
void Ingest::settle(std::span<const Admission> admissions, const store::SortedChanges& changes,
                    std::span<const store::Written> written, CommitReport& report) {
  const auto is_revoked = [&](const nostr::EventId& id) {
    return std::ranges::find(changes.revoked, id) != changes.revoked.end();
  };
  const auto tell_of = [&](const std::vector<nostr::WireEventPtr>& events) {
    const auto fates = written.first(events.size());
    for (std::size_t i = 0; i < events.size(); ++i)
      if (fates[i].outcome == store::Outcome::Stored && !is_revoked(events[i]->event.id))
        report.news.push_back({events[i], fates[i].serial});
    written = written.subspan(events.size());
    return fates;
  };
  for (const Admission& admission : admissions) {
    const auto fates = tell_of(admission.events);
    if (admission.settled) admission.settled(fates);
  }
  tell_of(changes.restored);
}

void Ingest::decide(Verified item, Round& round) {
  const nostr::Event& event = item.event->event;
  auto& report = round.report;
  if (item.refusal) {  // R9
    acceptance_.refused(item.event, item.submission.source, *item.refusal, round.changes);
    return refuse(item, item.refusal->text, round);
  }
  relay::Verdict verdict = acceptance_.decide(item.event, item.submission.source, round.changes);
  if (auto* reject = std::get_if<relay::Reject>(&verdict)) {
    refuse(item, reject->text, round,
           reject->may_come_again ? nostr::Outcome::Postponed : nostr::Outcome::Refused);
  } else if (auto* hold = std::get_if<relay::Hold>(&verdict)) {
    round.held_because.push_back(std::move(hold->text));
    round.held.push_back(std::move(item));
  } else if (std::holds_alternative<relay::Defer>(verdict)) {
    round.deferred.push_back(std::move(item));
  } else if (nostr::is_ephemeral(event.kind)) {
    report.decisions.push_back(
        decision(item.submission, event.id, answer_to(store::Outcome::Stored)));
    report.news.push_back({item.event, 0});
  } else {
    round.accepted.push_back(std::move(item));
  }
}

void Ingest::refuse(const Verified& item, const std::string& text, Round& round,
                    nostr::Outcome outcome) {
  const nostr::Event& event = item.event->event;
  meters_.rejected(event.kind, Meters::Rejection::Policy);
  round.report.decisions.push_back(decision(item.submission, event.id, {outcome, false, text}));
}

core::Result<std::vector<store::Written>, store::StoreError> Ingest::write(
    const Round& round, std::span<const Admission> admissions,
    const store::SortedChanges& changes) {
  std::vector<store::Write> writes;
  const auto add = [&](const nostr::WireEventPtr& wire) {
    const nostr::Event& event = wire->event;
    bool vanish = event.kind == nostr::kinds::kVanish && nostr::asks_to_vanish_from(event, self_);
    writes.push_back({wire, vanish});
  };
  writes.reserve(round.accepted.size());
  for (const Verified& item : round.accepted) add(item.event);
  std::ranges::for_each(round.restored, add);
  for (const Admission& admission : admissions) std::ranges::for_each(admission.events, add);
  std::ranges::for_each(changes.restored, add);
  if (writes.empty() && changes.notes.empty() && changes.removals.empty() &&
      changes.revoked.empty())
    return std::vector<store::Written>{};
  auto written = store_.write({writes, changes.removals, changes.notes, changes.revoked},
                              net::now().unix_seconds);
  meters_.write_batches += 1;
  storage_fails_ = !written;
  if (!written) {
    meters_.write_failures += 1;
    core::log::error("storing {} failed: {}", core::counted(writes.size(), "event"),
                     store::describe(written.error()));
  }
  return written;
}

void Ingest::settle(const Round& round, std::span<const store::Written> written,
                    CommitReport& report) {
  std::vector<relay::Settled> settled;
  settled.reserve(round.accepted.size());
  for (std::size_t i = 0; i < round.accepted.size(); ++i) {
    const auto& [outcome, serial] = written[i];
    const Verified& item = round.accepted[i];
    const nostr::Event& event = item.event->event;
    meters_.decided(event.kind, outcome);
    const bool is_direct = item.submission.source.intake != relay::Source::Intake::Sync;
    if (is_direct && outcome == store::Outcome::Stored) meters_.stored_directly += 1;
    report.decisions.push_back(decision(item.submission, event.id, answer_to(outcome)));
    if (outcome == store::Outcome::Stored) report.news.push_back({item.event, serial});
    settled.push_back({item.event, outcome});
  }
  for (std::size_t i = 0; i < round.restored.size(); ++i) {
    const auto& [outcome, serial] = written[round.accepted.size() + i];
    const nostr::WireEventPtr& event = round.restored[i];
    if (outcome == store::Outcome::Stored) report.news.push_back({event, serial});
    settled.push_back({event, outcome});
  }
  for (std::size_t i = 0; i < round.held.size(); ++i) {
    const Verified& item = round.held[i];
    report.decisions.push_back(decision(item.submission, item.event->event.id,
                                        {nostr::Outcome::Held, true, round.held_because[i]}));
  }
  acceptance_.settled(settled);
}

void Ingest::fail(const Round& round, store::StoreError error, CommitReport& report) {
  auto text = fmt::format("error: not stored: {}", store::describe(error));
  for (const auto* items : {&round.accepted, &round.deferred, &round.held})
    for (const Verified& item : *items)
      report.decisions.push_back(
          decision(item.submission, item.event->event.id, {nostr::Outcome::Failed, false, text}));
  acceptance_.failed();
}

// R4.
void Ingest::proceed(const Verified& item) {
  {
    std::lock_guard lock(mutex_);
    ++deferred_;
  }
  auto answer = [this, submitter = item.submission.submitter, id = item.event->event.id,
                 bytes = item.submission.bytes](const nostr::Answer& given) {
    CommitReport one;
    one.decisions.push_back(
        {submitter, id, bytes, given.outcome, given.accepted, std::string(given.text)});
    tell(std::move(one));
    std::lock_guard lock(mutex_);
    --deferred_;
    to_write_.notify_one();  // with the lock held: without it, stop() may have ended us by now
  };
  acceptance_.proceed(item.event, item.submission.source, std::move(answer));
}

void Ingest::tell(CommitReport report) {
  for (const Decision& decision : report.decisions) backlog_bytes_ -= decision.bytes;
  announce_(std::move(report));
}

}  // namespace graspd::serve
