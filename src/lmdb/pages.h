// Entries of an index in the order of Q1, a page at a time.
//
//   R1  A page points into the memory map if possible: it is not copied, and it is valid as long as
//       the transaction.
//   R2  Many ranges of one index share a database cursor; the range that used it last continues
//       without seeking.
//   R3  In a long range, the page after the current one is already being prefetched.
#pragma once
#include <memory>
#include <utility>

#include "lmdb/tables.h"

namespace graspd::lmdb {

using Page = std::span<const EntryBytes>;

class PageSource {
 public:
  virtual ~PageSource() = default;
  virtual Page
  next() = 0;  // empty at the end; ends the life of the page before where it was copied
};

// A database cursor and who used it last.
class IndexReader {
 public:
  IndexReader(const Txn& txn, MDB_dbi dbi) : cursor_(txn, dbi) {}

  // Entries of `key` from `from` on, as many as lie together.
  Page seek(const void* owner, const Key& key, const EntryBytes& from);
  // The entries behind `before`, which was the owner's page before.
  Page next(const void* owner, const Key& key, Page before);
  // Visits the keys from `first` on, until `visit` says false.
  template <class Visit>
  void for_each_key(const Key& first, const Visit& visit) {
    owner_ = nullptr;
    MDB_val key = to_val(first.view()), value{};
    for (bool found = cursor_.move(MDB_SET_RANGE, key, value); found;
         found = cursor_.move(MDB_NEXT_NODUP, key, value)) {
      if (!visit(to_bytes(key))) return;
    }
  }

 private:
  DbCursor cursor_;
  const void* owner_ = nullptr;
};

// What one filter allows, in an index or a list.
struct Bounds {
  EntryBytes from;          // nothing before this
  core::UnixSeconds since;  // nothing older than this

  static Bounds of(const nostr::Filter& filter, const std::optional<store::Position>& after);
};

class KeyPages final : public PageSource {
 public:
  KeyPages(IndexReader& reader, const Key& key, const Bounds& bounds)
      : reader_(reader), key_(key), bounds_(bounds) {}
  Page next() override;

 private:
  Page read();
  Page within_bounds(Page page);

  IndexReader& reader_;
  Key key_;
  Bounds bounds_;
  Page last_;                  // read
  std::optional<Page> ahead_;  // read and not shown yet
  std::size_t shown_ = 0;      // pages
  bool ended_ = false;
};

// Entries that are at hand.
class EntryPages final : public PageSource {
 public:
  explicit EntryPages(std::vector<EntryBytes> entries) : entries_(std::move(entries)) {}
  Page next() override { return std::exchange(given_, true) ? Page() : Page(entries_); }

 private:
  std::vector<EntryBytes> entries_;
  bool given_ = false;
};

// Events that were at these positions: looked up a few at a time, because a read may end early.
class PositionPages final : public PageSource {
 public:
  PositionPages(const Txn& txn, const Tables& tables, std::span<const store::Position> positions)
      : txn_(txn), tables_(tables), positions_(positions) {}
  Page next() override;

 private:
  const Txn& txn_;
  const Tables& tables_;
  std::span<const store::Position> positions_;
  std::vector<EntryBytes> page_;
};

// What a filter by ids is read from behind `after`. Ids are looked up once for all reads of an
// answer, some in each: nullptr while there are more of them than `lookups`, which is reduced.
std::unique_ptr<PageSource> source_of_ids(const Txn& txn, const Tables& tables,
                                          const nostr::Filter& filter,
                                          const std::optional<store::Position>& after,
                                          store::FoundIds& found, std::size_t& lookups);

}  // namespace graspd::lmdb
