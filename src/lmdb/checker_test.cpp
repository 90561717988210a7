// Rule numbers are those of lmdb/check.h.
#include "lmdb/checker.h"

#include <gtest/gtest.h>

#include "lmdb/migrate.h"
#include "lmdb/store_testing.h"
#include "lmdb/writer.h"

namespace graspd::lmdb {
namespace checker_test {

using store::testing::event;

class Checking : public ::testing::Test {
 protected:
  Checking() {
    Txn txn(env_, Txn::Mode::Write);
    tables_ = open_tables(txn, Missing::Create);
    txn.commit();
    write(event(1, 30'617, 10, {{"d", "x"}, {"expiration", "99"}}));
    write(event(1, 1, 11, {{"t", "x"}}));
  }
  void write(const nostr::WireEventPtr& wire) {
    Writer writer(env_, tables_);
    writer.write({wire}, 5);
    writer.commit();
  }
  template <class Damage>
  CheckReport after(const Damage& damage) {
    {
      Txn txn(env_, Txn::Mode::Write);
      damage(txn);
      txn.commit();
    }
    return report();
  }
  CheckReport report(const CheckOptions& options = {}) {
    const Txn txn(env_, Txn::Mode::Read);
    return Checker(txn, tables_, options).run();
  }

  testing::TemporaryDirectory directory_;
  Env env_{{directory_.path(), MDB_NOSYNC, 1 << 20, 8}};
  Tables tables_{};
};

TEST_F(Checking, FindsNothingInASoundDatabase) {
  EXPECT_EQ(report().events, 2u);
  EXPECT_EQ(report().problems, 0u);
}

TEST_F(Checking, FindsAMissingEntry) {  // R1
  const CheckReport found =
      after([&](Txn& txn) { txn.erase(tables_.tag, tag_key('t', "x").view()); });
  ASSERT_EQ(found.problems, 2u);
  EXPECT_EQ(found.first_problems[0], "event number 2 is missing in an index");
  EXPECT_EQ(found.first_problems[1], "index tag has 1 entries, but the events have 2");
}

TEST_F(Checking, FindsAnEntryWithoutAnEvent) {  // R1
  const CheckReport found = after([&](Txn& txn) {
    const EntryBytes stray = encode({{1, {}}, {1}, false, 77});
    txn.put(tables_.time, time_key().view(), stray);
  });
  EXPECT_EQ(found.problems, 1u);
}

TEST_F(Checking, FindsALostEvent) {  // R1
  const store::Serial second = 2;
  EXPECT_GE(after([&](Txn& txn) { txn.erase(tables_.events, bytes_of(second)); }).problems, 4u);
}

TEST_F(Checking, FindsALostAddressAndExpiration) {  // R1
  EXPECT_EQ(after([&](Txn& txn) { check(mdb_drop(txn.get(), tables_.address, 0)); }).problems, 2u);
  EXPECT_EQ(after([&](Txn& txn) { check(mdb_drop(txn.get(), tables_.expiration, 0)); }).problems,
            4u);
}

TEST_F(Checking, FindsContentThatDoesNotFitTheId) {  // R2
  const store::Serial second = 2;
  const CheckReport found = after([&](Txn& txn) {
    const Bytes bytes = *txn.get(tables_.events, bytes_of(second));
    std::string record(bytes.begin(), bytes.end());
    record.replace(record.find("\"content\":\"\""), 12, "\"content\":\"!\"");
    txn.put(tables_.events, bytes_of(second), name_key(record));
  });
  ASSERT_EQ(found.problems, 1u);
  EXPECT_EQ(found.first_problems[0], "event number 2 has an id that is not that of its content");
}

TEST_F(Checking, LooksAtSignaturesOnRequest) {  // R3
  EXPECT_EQ(report({.signatures = true}).problems, 2u);
}

}  // namespace checker_test
}  // namespace graspd::lmdb
