// Reads many sorted sources as one.
//
//   R1  The entry that comes first in the order of Q1 is on top; equal ones follow each other.
//   R2  Advancing costs the logarithm of the number of sources.
#pragma once
#include <memory>
#include <vector>

#include "lmdb/pages.h"

namespace graspd::lmdb {

class Merge {
 public:
  // `label` says on whose behalf the source is read.
  void add(std::uint32_t label, std::unique_ptr<PageSource> source);

  bool empty() const { return heap_.empty(); }
  const EntryBytes& top() const { return *heap_.front().at; }
  std::uint32_t label() const { return heap_.front().label; }
  // Moves the source on top by one entry.
  void advance() {
    if (++heap_.front().at == heap_.front().end && !turn_page()) return drop();
    if (heap_.size() > 1) sink();
  }
  void drop();  // the source on top

  // With one source left there is nothing to merge: its entries can be taken by the page.
  bool is_single() const { return heap_.size() == 1; }
  Page page() const { return {heap_.front().at, heap_.front().end}; }
  void skip_page() {
    if (!turn_page()) drop();
  }

 private:
  struct Head {
    const EntryBytes* at;
    const EntryBytes* end;
    PageSource* source;
    std::uint32_t label;
  };
  static bool later(const Head& a, const Head& b) { return compare_positions(*a.at, *b.at) > 0; }
  bool turn_page();  // of the source on top; false at its end
  void sink();

  std::vector<std::unique_ptr<PageSource>> sources_;
  std::vector<Head> heap_;
};

}  // namespace graspd::lmdb
