#include "lmdb/directory.h"

#include <fstream>
#include <gtest/gtest.h>

#include "lmdb/test_store.h"

namespace graspd::lmdb {
namespace directory_test {

using testing::TemporaryDirectory;

TEST(Directory, HasOneWriterAtATime) {  // R1
  const TemporaryDirectory directory;
  {
    const auto first = lock_for_writing(directory.path());
    ASSERT_TRUE(first);
    EXPECT_FALSE(lock_for_writing(directory.path()));
    EXPECT_TRUE(lock_for_reading(directory.path()));
  }
  EXPECT_TRUE(lock_for_writing(directory.path()));
}

TEST(Directory, HasManyReadersOrNone) {  // R2
  const TemporaryDirectory directory;
  {
    const auto one = lock_for_reading(directory.path()), two = lock_for_reading(directory.path());
    EXPECT_TRUE(one && two);
    EXPECT_FALSE(lock_against_readers(directory.path()));
  }
  const auto alone = lock_against_readers(directory.path());
  ASSERT_TRUE(alone);
  EXPECT_FALSE(lock_for_reading(directory.path()));
}

TEST(Directory, SaysWhyItCannotBeLocked) {
  const auto lock = lock_for_writing("/nowhere/at/all");
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error(), "cannot open /nowhere/at/all/writer.lock: No such file or directory");
}

TEST(Directory, KnowsWhetherItHoldsADatabase) {
  const TemporaryDirectory directory;
  EXPECT_FALSE(holds_database(directory.path()));
  std::ofstream(data_file(directory.path())) << "x";
  EXPECT_TRUE(holds_database(directory.path()));
  EXPECT_TRUE(sync_path(data_file(directory.path())));
  EXPECT_FALSE(sync_path(directory.path("nothing")));
}

}  // namespace directory_test
}  // namespace graspd::lmdb
