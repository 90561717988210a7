// A read transaction, as the store's interface shows it.
#pragma once
#include "lmdb/gate.h"
#include "lmdb/tables.h"
#include "store/event_store.h"

namespace graspd::lmdb {

class LmdbSnapshot final : public store::Snapshot {
 public:
  // The gate, the environment and the tables outlive the snapshot. Throws Failed.
  LmdbSnapshot(Gate& gate, const Env& env, const Tables& tables)
      : pass_(gate), txn_(env, Txn::Mode::Read), tables_(tables) {}

  bool contains(const nostr::EventId& id) const override;
  std::optional<std::string> find_json(const nostr::EventId& id) const override;
  core::Result<store::Outcome, store::StoreError> judge(const nostr::WireEvent& event,
                                                        core::UnixSeconds now) const override;
  core::Result<store::ReadState, store::StoreError> read(store::Cursor& cursor,
                                                         const store::Budget& budget,
                                                         core::UnixSeconds now,
                                                         const Visitor& visit) const override;
  core::Result<store::ReadState, store::StoreError> count(
      store::Survey& survey, const store::Budget& budget, core::UnixSeconds now,
      const AuthorVisitor& pubkeys) const override;
  core::Result<store::ReadState, store::StoreError> scan(
      store::Survey& survey, const store::Budget& budget, core::UnixSeconds now,
      const PositionVisitor& visit) const override;
  core::Result<core::Done, store::StoreError> replay(store::Serial after, std::size_t max,
                                                     const Visitor& visit) const override;
  core::Result<core::Done, store::StoreError> notes(std::string_view prefix,
                                                    const NoteVisitor& visit) const override;
  std::uint64_t size() const override;
  using Snapshot::count;
  using Snapshot::scan;

  const Txn& txn() const { return txn_; }

 private:
  Gate::Pass pass_;
  Txn txn_;
  const Tables& tables_;
};

}  // namespace graspd::lmdb
