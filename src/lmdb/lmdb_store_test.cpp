#include "lmdb/lmdb_store.h"

#include "lmdb/store_testing.h"
#include "store/testing/contract_suite.h"

namespace graspd::store::testing {
namespace lmdb_store_test {

// Every test ends with a check of what it left behind.
class CheckedStore final : public EventStore {
 public:
  ~CheckedStore() override {
    const auto report = store_->check({});
    EXPECT_TRUE(report);
    EXPECT_EQ(report->first_problems, std::vector<std::string>());
  }
  core::Result<std::vector<Written>, StoreError> write(const Batch& batch,
                                                       core::UnixSeconds now) override {
    return store_->write(batch, now);
  }
  core::Result<std::size_t, StoreError> remove_expired(core::UnixSeconds now,
                                                       std::size_t max) override {
    return store_->remove_expired(now, max);
  }
  core::Result<std::unique_ptr<Snapshot>, StoreError> snapshot() const override {
    return store_->snapshot();
  }
  Serial newest() const override { return store_->newest(); }

 private:
  std::unique_ptr<lmdb::LmdbStore> store_ = lmdb::testing::open_in_memory();
};

std::unique_ptr<EventStore> make() { return std::make_unique<CheckedStore>(); }

TEST(LmdbStore, MayStoreRequestsAndObeyNone) {
  lmdb::Options options;
  options.in_memory = true;
  options.obeys_requests = false;
  const auto store = lmdb::LmdbStore::open(options);
  ASSERT_TRUE(store);
  const auto note = event(1, 1, 100);
  nostr::Tags named;
  named.begin_row();
  named.append("e");
  named.append(note->event.id.hex());
  const std::vector<Write> writes{
      {note, false}, {event(1, 5, 101, std::move(named)), false}, {event(1, 62, 102), true}};
  const auto written = (*store)->write(writes, 103);
  ASSERT_TRUE(written);
  for (const Written& one : *written) EXPECT_EQ(one.outcome, Outcome::Stored);
  EXPECT_TRUE((*(*store)->snapshot())->contains(note->event.id));
  EXPECT_EQ(*(*(*store)->snapshot())->judge(*event(1, 1, 99), 103), Outcome::Stored);
}

INSTANTIATE_TEST_SUITE_P(Lmdb, StoreContract, ::testing::Values(Backend{"Lmdb", make}), name_of);

}  // namespace lmdb_store_test
}  // namespace graspd::store::testing
