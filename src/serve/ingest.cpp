#include "serve/ingest.h"

#include <algorithm>

#include "core/log.h"
#include "net/clock.h"
#include "nostr/replaceable.h"
#include "nostr/serialize.h"
#include "nostr/signature.h"

namespace graspd::serve {
namespace {

Decision decision(const Submission& submission, bool accepted, std::string text) {
  return {submission.submitter, submission.event.id, submission.bytes, accepted, std::move(text)};
}

Decision decision(const Submission& submission, const nostr::EventId& id, bool accepted,
                  std::string text) {
  return {submission.submitter, id, submission.bytes, accepted, std::move(text)};
}

struct Answer {
  bool accepted;
  std::string_view text;
};

Answer answer_to(store::Outcome outcome) {
  switch (outcome) {
    case store::Outcome::Stored:
      return {true, ""};
    case store::Outcome::Duplicate:
      return {true, "duplicate: already have this event"};
    case store::Outcome::Superseded:
      return {true, "duplicate: superseded by a newer event"};
    case store::Outcome::Deleted:
      return {false, "blocked: this event is deleted"};
    case store::Outcome::Vanished:
      return {false, "blocked: the author asked to vanish"};
    case store::Outcome::Expired:
      return {false, "blocked: event is expired"};
  }
  CHECK(false);
}

}  // namespace

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

void Ingest::submit(std::vector<Submission> submissions) {
  bool many = submissions.size() > options_.verify_batch;
  {
    std::unique_lock lock(mutex_);
    if (stopping_) {
      lock.unlock();
      return refuse(submissions);
    }
    std::ranges::move(submissions, std::back_inserter(submitted_));
  }
  many ? to_verify_.notify_all() : to_verify_.notify_one();
}

void Ingest::refuse(const std::vector<Submission>& submissions) {
  Announcement refusals;
  for (const Submission& submission : submissions)
    refusals.decisions.push_back(decision(submission, false, "error: the server is stopping"));
  announce(std::move(refusals));
}

void Ingest::verify_loop() {
  std::vector<Verified> verified;
  Announcement refusals;
  std::unique_lock lock(mutex_);
  while (true) {
    to_verify_.wait(lock, [this] { return stopping_ || !submitted_.empty(); });
    if (submitted_.empty()) return;
    std::vector<Submission> batch = take_submissions();
    being_verified_ += batch.size();
    lock.unlock();
    verify(batch, verified, refusals.decisions);
    lock.lock();
    being_verified_ -= batch.size();
    std::ranges::move(verified, std::back_inserter(verified_));
    verified.clear();
    to_write_.notify_one();

    bool worth_it = submitted_.empty() || refusals.decisions.size() >= options_.write_batch;
    if (refusals.decisions.empty() || !worth_it) continue;
    lock.unlock();
    announce(std::exchange(refusals, {}));
    lock.lock();
  }
}

// A fair share of what waits: the verifiers should finish together.
std::vector<Submission> Ingest::take_submissions() {
  std::size_t share = submitted_.size() / options_.verify_threads + 1;
  std::size_t count = std::min({options_.verify_batch, share, submitted_.size()});
  auto end = submitted_.begin() + static_cast<std::ptrdiff_t>(count);
  std::vector<Submission> batch(std::move_iterator(submitted_.begin()), std::move_iterator(end));
  submitted_.erase(submitted_.begin(), end);
  return batch;
}

void Ingest::verify(std::vector<Submission>& batch, std::vector<Verified>& verified,
                    std::vector<Decision>& refused) {
  auto snapshot = store_.snapshot();
  for (Submission& submission : batch) {
    const nostr::Event& event = submission.event;
    auto json = nostr::to_json_if_id_is_right(event);
    if (!json) {
      meters_.rejected(event.kind, Meters::Rejection::Invalid);
      refused.push_back(
          decision(submission, false, "invalid: the event id does not match its content"));
    } else if (snapshot && (*snapshot)->contains(event.id)) {
      meters_.duplicates_before_verification += 1;
      auto [accepted, text] = answer_to(store::Outcome::Duplicate);
      refused.push_back(decision(submission, accepted, std::string(text)));
    } else if (!nostr::signature_is_right(event)) {
      meters_.rejected(event.kind, Meters::Rejection::Invalid);
      refused.push_back(decision(submission, false, "invalid: the signature is wrong"));
    } else {
      auto wire = std::make_shared<nostr::WireEvent>();
      wire->event = std::move(submission.event);
      wire->json = std::move(*json);
      verified.push_back({std::move(submission), std::move(wire)});
    }
  }
}

void Ingest::write_loop() {
  std::unique_lock lock(mutex_);
  while (true) {
    std::vector<Verified> batch = next_batch(lock);
    if (batch.empty() && finished()) return;
    lock.unlock();
    if (batch.empty()) {
      sweep_expired();
    } else {
      Announcement announcement;
      decide(std::move(batch), announcement);
      announce(std::move(announcement));
    }
    lock.lock();
  }
}

bool Ingest::more_is_coming() const { return being_verified_ > 0 || !submitted_.empty(); }

bool Ingest::finished() const { return stopping_ && !more_is_coming() && verified_.empty(); }

// R2. Empty when there is nothing to do, for a sweep interval or for good.
std::vector<Ingest::Verified> Ingest::next_batch(std::unique_lock<std::mutex>& lock) {
  to_write_.wait_for(lock, options_.sweep_interval,
                     [this] { return !verified_.empty() || finished(); });
  if (verified_.empty()) return {};
  to_write_.wait_for(lock, options_.linger, [this] {
    return verified_.size() >= options_.write_batch || !more_is_coming();
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

void Ingest::decide(std::vector<Verified> batch, Announcement& announcement) {
  std::vector<Verified> accepted;
  accepted.reserve(batch.size());
  for (Verified& item : batch) {
    const nostr::Event& event = item.event->event;
    relay::Verdict verdict = acceptance_.decide(event, item.submission.source);
    if (auto* reject = std::get_if<relay::Reject>(&verdict)) {
      meters_.rejected(event.kind, Meters::Rejection::Policy);
      announcement.decisions.push_back(decision(item.submission, event.id, false, reject->text));
    } else if (auto* hold = std::get_if<relay::Hold>(&verdict)) {
      announcement.decisions.push_back(decision(item.submission, event.id, true, hold->text));
    } else if (nostr::is_ephemeral(event.kind)) {
      announcement.decisions.push_back(decision(item.submission, event.id, true, ""));
      announcement.news.push_back({item.event, 0});
    } else {
      accepted.push_back(std::move(item));
    }
  }
  if (!accepted.empty()) write(accepted, announcement);
}

void Ingest::write(std::vector<Verified>& accepted, Announcement& announcement) {
  std::vector<store::Write> writes;
  writes.reserve(accepted.size());
  for (const Verified& item : accepted) {
    const nostr::Event& event = item.event->event;
    bool vanish = event.kind == nostr::kinds::kVanish && nostr::asks_to_vanish_from(event, self_);
    writes.push_back({item.event, vanish});
  }
  auto written = store_.write(writes, net::now().unix_seconds);
  meters_.write_batches += 1;
  storage_fails_ = !written;
  if (!written) {
    core::log::error("storing {} events failed: {}", writes.size(),
                     store::describe(written.error()));
    auto text = fmt::format("error: not stored: {}", store::describe(written.error()));
    for (const Verified& item : accepted)
      announcement.decisions.push_back(
          decision(item.submission, item.event->event.id, false, text));
    meters_.write_failures += 1;
    return;
  }
  for (std::size_t i = 0; i < accepted.size(); ++i) {
    const auto& [outcome, serial] = (*written)[i];
    auto [ok, text] = answer_to(outcome);
    const nostr::Event& event = accepted[i].event->event;
    meters_.decided(event.kind, outcome);
    announcement.decisions.push_back(
        decision(accepted[i].submission, event.id, ok, std::string(text)));
    if (outcome == store::Outcome::Stored) announcement.news.push_back({writes[i].event, serial});
  }
}

void Ingest::announce(Announcement announcement) {
  for (const Decision& decision : announcement.decisions) backlog_bytes_ -= decision.bytes;
  announce_(std::move(announcement));
}

}  // namespace graspd::serve
