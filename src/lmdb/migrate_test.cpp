#include "lmdb/migrate.h"

#include <gtest/gtest.h>

#include "lmdb/store_testing.h"
#include "lmdb/tables.h"

namespace graspd::lmdb {
namespace migrate_test {

constexpr std::size_t kMapBytes = 1 << 20;

class Migration : public ::testing::Test {
 protected:
  testing::TemporaryDirectory directory_;
  Env env_{{directory_.path(), 0, kMapBytes, 8}};

  std::string bring_to(const Format& format) {
    Txn txn(env_, Txn::Mode::Write);
    const auto done = bring_up_to_date(txn, format);
    if (!done) return done.error();
    txn.commit();
    return {};
  }
  std::string expect(const Format& format) {
    Txn txn(env_, Txn::Mode::Read);
    const auto done = expect_current(txn, format);
    return done ? std::string() : done.error();
  }
};

TEST_F(Migration, GivesANewFileTheCurrentNumber) {  // R1
  EXPECT_NE(expect({3, {}}), "");
  EXPECT_EQ(bring_to({3, {}}), "");
  EXPECT_EQ(expect({3, {}}), "");
}

TEST_F(Migration, GoesEveryStepOnce) {  // R2
  ASSERT_EQ(bring_to({1, {}}), "");
  std::vector<int> steps;
  const Format third{
      3, {{2, [&](Txn&) { steps.push_back(2); }}, {1, [&](Txn&) { steps.push_back(1); }}}};
  EXPECT_EQ(bring_to(third), "");
  EXPECT_EQ(bring_to(third), "");
  EXPECT_EQ(steps, (std::vector{1, 2}));
}

TEST_F(Migration, ChangesNothingWhenAStepIsMissing) {  // R2
  ASSERT_EQ(bring_to({1, {}}), "");
  EXPECT_EQ(bring_to({3, {{1, [](Txn&) {}}}}), "there is no way to upgrade its format 2");
  EXPECT_EQ(expect({1, {}}), "");
}

TEST_F(Migration, RefusesANewerFile) {  // R3
  ASSERT_EQ(bring_to({9, {}}), "");
  const std::string reason =
      "it was written by a newer graspd (format 9, this one knows formats up to 1); use that "
      "version";
  EXPECT_EQ(bring_to({1, {}}), reason);
  EXPECT_EQ(expect({1, {}}), reason);
  EXPECT_EQ(expect({9, {}}), "");
}

TEST_F(Migration, RefusesAFileThatIsNotOurs) {  // R3
  {
    Txn txn(env_, Txn::Mode::Write);
    MDB_dbi other = 0;
    check(mdb_dbi_open(txn.get(), "other", MDB_CREATE, &other));
    txn.commit();
  }
  EXPECT_TRUE(bring_to({1, {}}).starts_with("it is not an event database of graspd; "));
}

TEST_F(Migration, AReaderNeedsTheCurrentNumber) {
  ASSERT_EQ(bring_to({1, {}}), "");
  EXPECT_EQ(expect({2, {}}), "it has the older format 1; start the server once to upgrade it");
}

}  // namespace migrate_test
}  // namespace graspd::lmdb
