// Where events live. Backends (lmdb/, memory_store) behave alike: contract_suite says so.
//
// Writing
//   W1  A batch is one transaction: durable as a whole when write() returns, or not there at all.
//   W2  Every stored event gets the next serial. Serials only grow; a removed one is not reused.
//   W3  Of a replaceable or addressable event only the winner (nostr::wins) is kept; an older
//       version that arrives later is Superseded.
//   W4  A deletion (kind 5) removes events of its own author: by `e` the event with that id, by `a`
//       all versions up to the deletion's created_at. What it names stays rejected, even if it
//       arrives later, until the deletion is revoked (W11). Deleting an event of kind 5 or 62 has
//       no effect. The deletion itself is an ordinary event.
//   W5  A write marked `vanish` (NIP-62) removes everything by its author up to its created_at,
//       including deletions, and gift wraps (1059) up to then that `p`-tag the author; all of it
//       stays rejected. The request itself is kept.
//   W6  An expired event (NIP-40) is rejected, not served, and removed by remove_expired(), the
//       longest overdue first. Until it is removed, reads without a `now` still return it.
//   W7  Ephemeral events are never given to the store.
//   W8  If several reasons apply, the outcome is the first of: Expired, Duplicate, Vanished,
//       Deleted, Superseded.
//   W9  A batch may take events out of service by id. They are not deleted, so they may
//       come again.
//   W10 A batch may write or erase notes: what the server remembers besides events, each under a
//       key of at most kNoteKeyMax bytes. Removals are applied first, then events, revocations and
//       notes.
//   W11 A batch may revoke events by id: they go out of service, even if they came with the same
//       batch. Revoking a deletion or a request to vanish also ends the rejection of events that it
//       alone kept out: they may come again.
//
// Reading
//   Q1  Newest first; in the same second the lowest id first (NIP-01).
//   Q2  A cursor remembers its position and can continue in another snapshot, so that no snapshot
//       is held while a client is slow.
//   Q3  Events with a serial above the cursor's `up_to` are not seen: they are delivered live.
//   Q4  An event that matches several filters of one request comes once, and counts against the
//       limit of each.
//   Q5  When a limit is reached, the read looks for events that the limit leaves out only as far as
//       its budget allows; beyond that the cursor says that it is unsure.
//   Q6  A survey (count, scan) is read in slices too. It sees what is stored or removed between two
//       slices only in the part that it has not read yet.
//
// Thread-safety: write() and remove_expired() from one thread at a time; snapshots from any.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/time.h"
#include "nostr/filter.h"
#include "nostr/wire_event.h"
#include "store/quota.h"

namespace graspd::store {

using Serial = std::uint64_t;  // the order of acceptance; 0 is before the first

enum class StoreError { DiskFull, Io, Corrupt, Busy };
std::string_view describe(StoreError error);

struct Write {
  nostr::WireEventPtr event;
  bool vanish = false;  // kind 62 that names this relay
};

struct Note {
  std::string key;
  std::optional<std::string> value;  // nullopt erases
};
inline constexpr std::size_t kNoteKeyMax = 511;

struct Batch {
  std::span<const Write> events;
  std::span<const nostr::EventId> removals = {};
  std::span<const Note> notes = {};
  std::span<const nostr::EventId> revoked = {};  // W11
};

enum class Outcome { Stored, Duplicate, Superseded, Deleted, Vanished, Expired };

struct Written {
  Outcome outcome = Outcome::Stored;
  Serial serial = 0;  // when Stored
};

// A place in the order of Q1.
struct Position {
  core::UnixSeconds created_at = 0;
  nostr::EventId id;
  bool operator==(const Position&) const = default;
};
// True when `a` comes before `b` in an answer.
bool comes_before(const Position& a, const Position& b);

// What a visitor is shown; the views die with the call.
struct Found {
  Serial serial = 0;
  Position position;
  nostr::PublicKey pubkey;
  std::string_view json;
};

// Of a filter by ids those that exist, in the order of Q1, as far as they were looked up.
struct FoundIds {
  std::vector<Position> positions;  // in order when all are looked up
  std::size_t looked_up = 0;
};

// One request being answered, between two reads.
struct Cursor {
  Cursor(std::vector<nostr::Filter> filters, Serial up_to);  // limits are those of the filters
  Cursor(std::vector<nostr::Filter> filters, Serial up_to, std::vector<Quota> quotas);

  std::vector<nostr::Filter> filters;
  std::vector<Quota> quotas;  // per filter
  Serial up_to;
  std::optional<Position> after;
  // Set while reading: an event was left out because every filter it matches was at its limit.
  bool more = false;
  // Without `more`: nobody looked whether there are such events (Q5, or a limit of 0).
  bool unsure = false;
  std::vector<FoundIds> found_ids;  // kept by the backend
};

// Everything that matches any of some filters (their limits ignored), between two slices.
struct Survey {
  Survey(std::vector<nostr::Filter> filters, std::uint64_t max);

  std::vector<nostr::Filter> filters;
  std::uint64_t max;
  std::uint64_t seen = 0;
  bool cut = false;  // there are more than `max`
  std::optional<Position> after;
  std::vector<FoundIds> found_ids;  // kept by the backend
};

// How much one read may do before it returns, so that many readers share few threads.
struct Budget {
  std::size_t bytes = 256 * 1024;  // of JSON shown
  std::size_t entries = 20'000;    // of index looked at, matching or not

  static Budget unlimited();
};

enum class ReadState { Unfinished, Finished };

class Snapshot {
 public:
  using Visitor = std::function<void(const Found&)>;
  using NoteVisitor = std::function<void(std::string_view key, std::string_view value)>;
  using AuthorVisitor = std::function<void(const nostr::PublicKey&)>;
  using PositionVisitor = std::function<void(std::span<const Position>)>;

  virtual ~Snapshot() = default;

  virtual bool contains(const nostr::EventId& id) const = 0;
  virtual std::optional<std::string> find_json(const nostr::EventId& id) const = 0;

  // What write() would say to this event.
  virtual core::Result<Outcome, StoreError> judge(const nostr::WireEvent& event,
                                                  core::UnixSeconds now) const = 0;

  // Shows what comes next, up to the budget. Unfinished: call again, in this or a later snapshot.
  virtual core::Result<ReadState, StoreError> read(Cursor& cursor, const Budget& budget,
                                                   core::UnixSeconds now,
                                                   const Visitor& visit) const = 0;

  // Counts distinct events. `pubkeys`, when given, is called with the author of each.
  virtual core::Result<ReadState, StoreError> count(Survey& survey, const Budget& budget,
                                                    core::UnixSeconds now,
                                                    const AuthorVisitor& pubkeys) const = 0;

  // Shows where events are, newest first, some at a time, loading no event where the indexes alone
  // can tell.
  virtual core::Result<ReadState, StoreError> scan(Survey& survey, const Budget& budget,
                                                   core::UnixSeconds now,
                                                   const PositionVisitor& visit) const = 0;

  // Both in one go: how many match, at most `max`; and whether all that match were shown.
  core::Result<std::uint64_t, StoreError> count(std::span<const nostr::Filter> filters,
                                                core::UnixSeconds now, std::uint64_t max,
                                                const AuthorVisitor& pubkeys) const;
  core::Result<bool, StoreError> scan(const nostr::Filter& filter, core::UnixSeconds now,
                                      std::uint64_t max, const PositionVisitor& visit) const;

  // Every event kept, in order of acceptance, with a serial above `after`, up to `max` of them.
  virtual core::Result<core::Done, StoreError> replay(Serial after, std::size_t max,
                                                      const Visitor& visit) const = 0;

  // Notes whose key begins with `prefix`, in the order of their keys.
  virtual core::Result<core::Done, StoreError> notes(std::string_view prefix,
                                                     const NoteVisitor& visit) const = 0;

  virtual std::uint64_t size() const = 0;  // events stored
};

class EventStore {
 public:
  virtual ~EventStore() = default;

  // One Written for each event of the batch.
  virtual core::Result<std::vector<Written>, StoreError> write(const Batch& batch,
                                                               core::UnixSeconds now) = 0;
  core::Result<std::vector<Written>, StoreError> write(std::span<const Write> events,
                                                       core::UnixSeconds now) {
    return write(Batch{events}, now);
  }
  // Removes at most `max` events whose time has come; returns how many.
  virtual core::Result<std::size_t, StoreError> remove_expired(core::UnixSeconds now,
                                                               std::size_t max) = 0;

  virtual core::Result<std::unique_ptr<Snapshot>, StoreError> snapshot() const = 0;
  virtual Serial newest() const = 0;  // of the last durable write; any thread
};

}  // namespace graspd::store
