// One read of a cursor: what is shown, what counts against which limit, when to stop.
#pragma once
#include "lmdb/walk.h"

namespace graspd::lmdb {

class Answer {
 public:
  using Visitor = store::Snapshot::Visitor;

  Answer(const Txn& txn, const Tables& tables, store::Cursor& cursor, const store::Budget& budget);

  store::ReadState run(core::UnixSeconds now, const Visitor& visit);

 private:
  bool budget_is_spent() const;
  void look_at_event(const Visitor& visit);
  void come_to(core::UnixSeconds second);
  bool take();
  void close_what_needs_no_look();
  store::ReadState put_down();

  store::Cursor& cursor_;
  store::Budget budget_;
  Walk walk_;
  std::vector<std::uint32_t> reading_;  // filters below their limit when this read began
  std::size_t wanting_ = 0;             // of them, below it now
  std::size_t stretched_ = 0;           // of those, beyond their cap
  bool has_all_ids_ = true;             // looked up
  std::size_t entries_ = 0, bytes_ = 0;
};

}  // namespace graspd::lmdb
