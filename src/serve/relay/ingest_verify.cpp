// The verifiers: what an event is by itself, before anybody is asked whether it is wanted.
#include <algorithm>

#include "net/clock.h"
#include "nostr/serialize.h"
#include "nostr/signature.h"
#include "serve/relay/ingest_answers.h"

namespace graspd::serve {

void Ingest::verify_loop() {
  std::vector<Verified> verified;
  CommitReport refusals;
  std::unique_lock lock(mutex_);
  while (true) {
    to_verify_.wait(lock, [this] { return stopping_ || !submitted_.empty(); });
    if (submitted_.empty()) return;
    std::vector<Submission> batch = take_submissions();
    auto lane = lanes_.emplace_back(std::make_shared<Lane>());
    being_verified_ += batch.size();
    lock.unlock();
    verify(batch, verified, refusals.decisions);
    lock.lock();
    being_verified_ -= batch.size();
    open_lane(*lane, std::exchange(verified, {}));

    bool worth_it = submitted_.empty() || refusals.decisions.size() >= options_.write_batch;
    if (refusals.decisions.empty() || !worth_it) continue;
    lock.unlock();
    tell(std::exchange(refusals, {}));
    lock.lock();
  }
}

void Ingest::open_lane(Lane& lane, std::vector<Verified> verified) {
  lane.verified = std::move(verified);
  lane.done = true;
  for (; !lanes_.empty() && lanes_.front()->done; lanes_.pop_front())
    std::ranges::move(lanes_.front()->verified, std::back_inserter(verified_));
  if (!verified_.empty()) to_write_.notify_one();  // or this batch had nothing to write
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
  const bool is_low_on_disk = options_.disk && options_.disk->is_low();
  for (Submission& submission : batch) {
    const nostr::Event& event = submission.event;
    auto json = nostr::to_json_if_id_is_right(event);
    if (!json) {
      meters_.rejected(event.kind, Meters::Rejection::Invalid);
      refused.push_back(decision(submission, {nostr::Outcome::Forged, false,
                                              "invalid: the event id does not match its content"}));
    } else if (snapshot && (*snapshot)->contains(event.id)) {
      meters_.duplicates_before_verification += 1;
      refused.push_back(decision(submission, answer_to(store::Outcome::Duplicate)));
    } else if (is_low_on_disk && !nostr::is_ephemeral(event.kind)) {
      refused.push_back(
          decision(submission, {nostr::Outcome::Failed, false, kErrorLowOnDisk}));  // R8
    } else if (!nostr::signature_is_right(event)) {
      meters_.rejected(event.kind, Meters::Rejection::Invalid);
      refused.push_back(
          decision(submission, {nostr::Outcome::Forged, false, "invalid: the signature is wrong"}));
    } else {
      auto wire = std::make_shared<nostr::WireEvent>();
      wire->event = std::move(submission.event);
      wire->json = std::move(*json);
      auto refusal = relay::refuse_from(submission.source.intake, wire->event, wire->json.size(),
                                        options_.limits, net::now().unix_seconds);
      verified.push_back({std::move(submission), std::move(wire), std::move(refusal)});
    }
  }
}

}  // namespace graspd::serve
