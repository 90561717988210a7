#include "lmdb/directory.h"

#include <csignal>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "lmdb/store_testing.h"

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

TEST(Directory, TellsNoDatabaseFromOneThatCannotBeSeen) {
  const TemporaryDirectory directory;
  EXPECT_EQ(expect_database(directory.path()).error(), "there is none");
  std::filesystem::create_symlink("round", directory.path("round"));
  const auto unseen = expect_database(directory.path("round"));
  ASSERT_FALSE(unseen);
  EXPECT_TRUE(unseen.error().starts_with("cannot look into ")) << unseen.error();
  std::ofstream(data_file(directory.path())) << "x";
  EXPECT_TRUE(expect_database(directory.path()));
}

// A limit on the size of files stands for a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    CHECK(::getrlimit(RLIMIT_FSIZE, &before_) == 0);
    const rlimit limited{bytes, before_.rlim_max};
    CHECK(::setrlimit(RLIMIT_FSIZE, &limited) == 0);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  void (*handler_)(int);
  rlimit before_{};
};

TEST(Directory, HasRoomForAFileBeforeItIsUsedOrSaysThatItHasNot) {
  const TemporaryDirectory directory;
  const std::string file = lock_file(directory.path());
  ASSERT_TRUE(reserve(file, 65'664));
  EXPECT_EQ(std::filesystem::file_size(file), 65'664u);
  std::ofstream(file, std::ios::in | std::ios::out) << "kept";
  ASSERT_TRUE(reserve(file, 65'664));
  std::string text(4, ' ');
  std::ifstream(file).read(text.data(), 4);
  EXPECT_EQ(text, "kept");
  const FileSizeLimit limit(70'000);
  const auto refused = reserve(file, 100'000);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().starts_with("cannot reserve space for ")) << refused.error();
}

}  // namespace directory_test
}  // namespace graspd::lmdb
