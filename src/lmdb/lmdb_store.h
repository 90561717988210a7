// The event store on disk (LMDB), for one writing process and any number of readers.
//
//   R1  With `sync`, a write that has returned survives a power cut. Without it, the write survives
//       a crash of the process, and a power cut may lose what was written since the last flush().
//   R2  A write that finds the disk full changes nothing, and the store keeps working.
//   R3  The memory map grows by itself, up to `map_bytes_max`. Growing waits for readers: meanwhile
//       no new snapshot can be taken, and if readers take too long, the write fails with Busy.
//   R4  A read-only store can be opened beside a running server and sees what the server writes.
//   R5  A store in memory leaves nothing behind.
//   R6  An error at opening is a sentence for the operator that contains the path.
//   R7  A truncated or overwritten file is refused at opening if a cheap check can tell, and after
//       a complete check before it is checked, copied or compacted.
#pragma once
#include <memory>
#include <string>

#include "lmdb/check.h"
#include "lmdb/refusals.h"
#include "store/event_store.h"

namespace graspd::lmdb {

struct Options {
  std::string path;  // a directory; with in_memory where its temporary one is made, or empty
  bool sync = true;
  bool read_only = false;
  bool in_memory = false;
  // Whether deletions and requests to vanish remove events and keep them out (W4, W5).
  bool obeys_requests = true;
  std::size_t map_bytes = std::size_t{64} << 20;
  std::size_t map_bytes_max = std::size_t{1} << 40;
  // Each snapshot takes a slot, in every process; far more than threads that read.
  unsigned readers = 1024;
  core::Duration readers_leave_within{10'000};
};

class LmdbStore final : public store::EventStore {
 public:
  static core::Result<std::unique_ptr<LmdbStore>, std::string> open(const Options& options);
  ~LmdbStore() override;  // no snapshot may be left

  using EventStore::write;
  core::Result<std::vector<store::Written>, store::StoreError> write(
      const store::Batch& batch, core::UnixSeconds now) override;
  core::Result<std::size_t, store::StoreError> remove_expired(core::UnixSeconds now,
                                                              std::size_t max) override;
  core::Result<std::unique_ptr<store::Snapshot>, store::StoreError> snapshot() const override;
  store::Serial newest() const override;  // read-only: as of opening

  core::Result<core::Done, store::StoreError> flush();
  // From now on these are Deleted; what is here already stays.
  core::Result<core::Done, store::StoreError> refuse(const Refusals& refusals);
  // The failure is a sentence: the file cannot be followed at all.
  core::Result<CheckReport, std::string> check(const CheckOptions& options) const;
  // A copy that can be opened like the original, made while the server runs, for this user's eyes
  // only. All of it is checked first: a damaged database is not copied, and never takes the place
  // of an earlier copy. One that is Replaced goes when the new one is complete.
  enum class Earlier { Kept, Replaced };
  core::Result<core::Done, std::string> backup(const std::string& directory, bool compact,
                                               Earlier earlier = Earlier::Kept) const;
  std::uint64_t used_bytes() const;  // of the file; from any thread

 private:
  struct Parts;
  explicit LmdbStore(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

struct Compacted {
  std::uint64_t bytes_before = 0, bytes_after = 0;
};
// Rewrites the file without its holes; nobody else may have it open. If it fails, or the machine
// does, the old file is still there.
core::Result<Compacted, std::string> compact(const std::string& path);

}  // namespace graspd::lmdb
