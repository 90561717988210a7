// The way of every new event: verify → accept → write → announce.
//
//   R1  The id is checked first, then whether the event is known, then the signature: a duplicate
//       costs no curve arithmetic, and a forged copy cannot pass for a known event.
//   R2  One writer commits everything that is ready in one transaction. It waits for more only
//       while more is being verified, and never longer than `linger`: a lone event is not delayed.
//   R3  Decisions are reported after the commit, in one call per batch.
//   R4  stop() decides everything submitted before it returns; what comes later is refused.
//       That includes events whose answer was deferred.
//   R5  When the writer is idle, it also removes events that have expired (NIP-40).
//   R6  Events of one connection are decided in the order they came, however many threads verify.
//   R7  admit() takes events that were decided elsewhere (git data arrived) to the same writer. An
//       admission may be prepared by the writer, before it decides about the events of the same
//       transaction: admissions are prepared in the order they came, and what they change is
//       written with these events, or not at all.
//   R8  While free disk space is low, no event that would be stored is accepted, from anybody.
//   R9  Every event passes the relay's admission, whichever way it came in. The acceptance hears of
//       a rejected event only if its signature is valid: a forged copy must not be remembered.
#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/time.h"
#include "nostr/outcome.h"
#include "nostr/relay_url.h"
#include "nostr/wire_event.h"
#include "relay/acceptance.h"
#include "relay/admission.h"
#include "serve/relay/meters.h"
#include "serve/runtime/free_disk.h"
#include "store/event_store.h"

namespace graspd::serve {

struct IngestOptions {
  std::size_t verify_threads = 2;
  std::size_t verify_batch = 64;    // events a thread takes at once; one read of the store each
  std::size_t write_batch = 1'000;  // events in one transaction
  core::Duration linger{5};
  core::Duration sweep_interval{30'000};
  // Events between reserve() and their decision, over all connections. Beyond, reserve() says no:
  // memory is bounded however many connections there are.
  std::size_t backlog_bytes = 256 * 1024 * 1024;
  relay::Limits limits;                  // relay/admission.h
  std::shared_ptr<const FreeDisk> disk;  // nullptr: not guarded
};

// Who submitted an event: an address for the answer.
struct Submitter {
  std::size_t thread = 0;
  std::uint64_t connection = 0;
};

struct Submission {
  nostr::Event event;
  std::size_t bytes = 0;  // reserved
  relay::Source source;
  Submitter submitter;
};

struct Decision {
  Submitter submitter;
  nostr::EventId id;
  std::size_t bytes = 0;  // of the submission
  nostr::Outcome outcome = nostr::Outcome::Failed;
  bool accepted = false;
  std::string text;
};

// A new event for the live subscriptions; serial 0 for an ephemeral one.
struct NewEvent {
  nostr::WireEventPtr event;
  store::Serial serial = 0;
};

struct CommitReport {
  std::vector<Decision> decisions;
  std::vector<NewEvent> news;
};

// Events whose acceptance is certain, with what changes beside them. The functions are called by
// the writer, and each may be empty.
struct Admission {
  std::vector<nostr::WireEventPtr> events;
  store::Changes changes;
  // Before the transaction: may add changes.
  std::function<void(store::Changes& changes)> prepare = {};
  // After the commit and before anybody is told of it, with the fate of each event.
  std::function<void(std::span<const store::Written> fates)> settled = {};
  // After the report. Not durable: nothing was written.
  std::function<void(std::span<const store::Written> fates, bool durable)> done = {};
};

class Ingest {
 public:
  using Announce = std::function<void(CommitReport)>;

  Ingest(store::EventStore& store, relay::Acceptance& acceptance, nostr::RelayUrl self,
         Meters& meters, const IngestOptions& options, Announce announce);
  ~Ingest();

  // Room in the backlog for an event that will be submitted. False when there is none or the
  // server stops: the sender should try again later.
  [[nodiscard]] bool reserve(std::size_t bytes);
  void release(std::size_t bytes);  // it will not be submitted after all
  // Events with a reservation, as many at once as there are: waking a verifier is not free.
  void submit(std::vector<Submission> submissions);
  void admit(Admission admission);
  void stop();

  bool storage_fails() const { return storage_fails_; }  // the last write failed
  // Whoever waits for the writer must not be the writer.
  bool is_writer() const { return std::this_thread::get_id() == writer_.get_id(); }

 private:
  struct Verified {
    Submission submission;
    nostr::WireEventPtr event;
    std::optional<relay::Refusal> refusal;  // R9
  };
  // What one verifier has taken; lanes are emptied in the order they were filled (R6).
  struct Lane {
    std::vector<Verified> verified;
    bool done = false;
  };
  // One transaction in the making.
  struct Round {
    std::vector<Verified> accepted, deferred, held;
    std::vector<std::string> held_because;
    std::vector<nostr::WireEventPtr> restored;  // of `changes`
    store::Changes changes;
    CommitReport report;
  };

  void turn_away(const std::vector<Submission>& submissions);
  void verify_loop();
  std::vector<Submission> take_submissions();
  void open_lane(Lane& lane, std::vector<Verified> verified);
  void verify(std::vector<Submission>& batch, std::vector<Verified>& verified,
              std::vector<Decision>& refused);
  void write_loop();
  bool more_is_coming() const;
  bool finished() const;
  std::vector<Verified> next_batch(std::unique_lock<std::mutex>& lock);
  void conclude(std::vector<Verified> batch, std::vector<Admission> admissions);
  void decide(Verified item, Round& round);
  void refuse(const Verified& item, const std::string& text, Round& round,
              nostr::Outcome outcome = nostr::Outcome::Refused);
  core::Result<std::vector<store::Written>, store::StoreError> write(
      const Round& round, std::span<const Admission> admissions,
      const store::SortedChanges& changes);
  void settle(const Round& round, std::span<const store::Written> written, CommitReport& report);
  void settle(std::span<const Admission> admissions, const store::SortedChanges& changes,
              std::span<const store::Written> written, CommitReport& report);
  void fail(const Round& round, store::StoreError error, CommitReport& report);
  void proceed(const Verified& item);
  void tell(CommitReport report);
  void sweep_expired();

  store::EventStore& store_;
  relay::Acceptance& acceptance_;
  const nostr::RelayUrl self_;
  Meters& meters_;
  const IngestOptions options_;
  const Announce announce_;

  std::atomic<std::size_t> backlog_bytes_{0};
  std::atomic<bool> storage_fails_{false};
  std::atomic<bool> closed_{false};
  std::mutex mutex_;
  std::condition_variable to_verify_, to_write_;
  std::deque<Submission> submitted_;
  std::size_t being_verified_ = 0;
  std::deque<std::shared_ptr<Lane>> lanes_;
  std::vector<Verified> verified_;
  std::vector<Admission> admitted_;
  std::size_t deferred_ = 0;
  bool stopping_ = false;
  bool written_last_ = false;  // the writer has ended
  std::vector<std::thread> verifiers_;
  std::thread writer_;
};

}  // namespace graspd::serve
