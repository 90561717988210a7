// One state of a MemoryStore being read.
#pragma once
#include "store/testing/memory_store.h"

namespace graspd::store {

class MemorySnapshot final : public Snapshot {
 public:
  explicit MemorySnapshot(std::shared_ptr<const MemoryStore::State> state);

  bool contains(const nostr::EventId& id) const override;
  std::optional<std::string> find_json(const nostr::EventId& id) const override;
  core::Result<Outcome, StoreError> judge(const nostr::WireEvent& event,
                                          core::UnixSeconds now) const override;
  core::Result<ReadState, StoreError> read(Cursor& cursor, const Budget& budget,
                                           core::UnixSeconds now,
                                           const Visitor& visit) const override;
  core::Result<ReadState, StoreError> count(Survey& survey, const Budget& budget,
                                            core::UnixSeconds now,
                                            const AuthorVisitor& pubkeys) const override;
  core::Result<ReadState, StoreError> scan(Survey& survey, const Budget& budget,
                                           core::UnixSeconds now,
                                           const PositionVisitor& visit) const override;
  core::Result<core::Done, StoreError> replay(Serial after, std::size_t max,
                                              const Visitor& visit) const override;
  core::Result<core::Done, StoreError> notes(std::string_view prefix,
                                             const NoteVisitor& visit) const override;
  std::uint64_t size() const override;
  using Snapshot::count;
  using Snapshot::scan;

 private:
  using Kept = MemoryStore::Kept;

  ReadState survey(Survey& survey, const Budget& budget, core::UnixSeconds now,
                   const std::function<void(const Kept&)>& visit) const;

  std::shared_ptr<const MemoryStore::State> state_;
  std::vector<const Kept*> in_order_;  // of Q1
};

}  // namespace graspd::store
