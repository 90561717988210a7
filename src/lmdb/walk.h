// The events that may match some filters, newest first, each once.
//
//   R1  Every event that matches an open filter is a step; some other events may be steps too.
//   R2  An event is loaded only if the index cannot decide, and then only once.
//   R3  If the index alone decides and one range is left, a million entries cost one loop.
//   R4  All filters together open at most about kRangesInAllMax ranges; the filters beyond that
//       walk wider ranges. Every read opens all of them again, however little it reads.
#pragma once
#include "lmdb/merge.h"
#include "store/query_plan.h"

namespace graspd::lmdb {

// Keys found behind authors without kinds can be many; beyond this, time is walked instead.
constexpr std::size_t kRangesMax = 4 * store::kKeysMax;
// As many as twenty filters of a busy peer need: some ten milliseconds.
constexpr std::size_t kRangesInAllMax = 20 * store::kKeysMax;

class Walk {
 public:
  // All of these must outlive the walk.
  Walk(const Txn& txn, const Tables& tables, std::span<const nostr::Filter> filters);

  // Takes part from behind `after`. `ids` is what a filter by ids is read from.
  void open(std::uint32_t filter, const std::optional<store::Position>& after,
            std::unique_ptr<PageSource> ids);
  void close(std::uint32_t filter) { asked_[filter].open = false; }

  bool step();  // false at the end

  // Entries next in line that all match, whatever comes behind them; empty when step() must tell.
  Page plain_page() const;
  void skip_page() { merge_.skip_page(); }

  // About the event stepped to.
  const EntryBytes& entry() const { return entry_; }
  std::span<const std::uint32_t> candidates() const { return candidates_; }
  bool matches(std::uint32_t filter);
  bool matches_any();
  bool is_expired(core::UnixSeconds now);
  const RecordView& record();

 private:
  struct Asked {
    store::Plan plan;
    bool open = false;
    bool plain = false;  // every entry in its ranges matches
  };
  IndexReader& reader(IndexName index);
  void add(std::uint32_t filter, IndexName index, const Key& key, const Bounds& bounds);
  void open_authors(std::uint32_t filter, const Bounds& bounds);
  std::vector<Key> keys_of_authors(const nostr::Filter& filter);
  void take_top();

  const Txn& txn_;
  const Tables& tables_;
  std::span<const nostr::Filter> filters_;
  std::vector<Asked> asked_;
  std::array<std::optional<IndexReader>, 4> readers_;  // by IndexName
  Merge merge_;
  std::size_t ranges_left_ = kRangesInAllMax;  // R4
  EntryBytes entry_{};
  std::vector<std::uint32_t> candidates_;
  std::optional<RecordView> record_;
};

}  // namespace graspd::lmdb
