// Files that were cut short or overwritten: refused with a sentence, never followed.
#include <cstdio>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/rng.h"
#include "lmdb/env.h"
#include "lmdb/fault.h"
#include "lmdb/lmdb_store.h"
#include "lmdb/page_check.h"
#include "lmdb/store_testing.h"

namespace graspd::lmdb {
namespace damage_test {

using testing::notes;
using testing::open_or_die;
using testing::TemporaryDirectory;

constexpr std::size_t kPage = 4096;

Options at(const std::string& path, bool read_only) {
  Options options;
  options.path = path;
  options.sync = false;
  options.read_only = read_only;
  return options;
}

class Damage : public ::testing::Test {
 protected:
  Damage() {
    const auto store = open_or_die(at(path(), false));
    EXPECT_TRUE(store->write(notes(0, 2'000), 1'000));
    EXPECT_TRUE(store->write(notes(2'000, 20, 20'000), 1'000));
  }

  const std::string& path() const { return directory_.path(); }
  std::string file() const { return data_file(path()); }
  std::uint64_t size() const { return std::filesystem::file_size(file()); }

  void cut(std::uint64_t bytes) { std::filesystem::resize_file(file(), bytes); }
  void overwrite(std::uint64_t where, const std::string& bytes) {
    std::fstream out(file(), std::ios::in | std::ios::out | std::ios::binary);
    out.seekp(static_cast<std::streamoff>(where));
    out << bytes;
  }
  std::string opening(bool read_only) const {
    const auto store = LmdbStore::open(at(path(), read_only));
    return store ? "" : store.error();
  }
  // Of a store that may be opened.
  std::string checking() const {
    const auto store = LmdbStore::open(at(path(), true));
    if (!store) return store.error();
    const auto report = (*store)->check({});
    if (!report) return report.error();
    return report->problems == 0 ? "" : "problems";
  }
  std::string backing_up() const {
    const auto store = LmdbStore::open(at(path(), true));
    if (!store) return store.error();
    const auto done = (*store)->backup(directory_.path("copy"), true);
    EXPECT_EQ(static_cast<bool>(done), holds_database(directory_.path("copy")));
    return done ? "" : done.error();
  }
  std::string compacting() const {
    const auto done = compact(path());
    return done ? "" : done.error();
  }

 private:
  TemporaryDirectory directory_;
};

void expect_damage(const std::string& error, std::string_view what) {
  EXPECT_NE(error.find(what), std::string::npos) << error;
  EXPECT_NE(error.find("data.mdb is damaged: "), std::string::npos) << error;
  EXPECT_NE(error.find("put a backup in its place"), std::string::npos) << error;
}

TEST_F(Damage, OfNoneIsFound) {
  EXPECT_EQ(opening(true), "");
  EXPECT_EQ(checking(), "");
  EXPECT_EQ(backing_up(), "");
  EXPECT_EQ(compacting(), "");
  EXPECT_EQ(checking(), "");
}

// Pages are sound; what stands in them is not.
TEST_F(Damage, OfAnEventIsNotBackedUp) {
  std::ifstream in(file(), std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const std::string content = "\"content\":\"";
  const auto at = bytes.find(content);
  ASSERT_NE(at, std::string::npos);
  for (auto next = at; next != std::string::npos; next = bytes.find(content, next + 1))
    overwrite(next + content.size(), "#");
  EXPECT_EQ(opening(true), "");
  EXPECT_EQ(checking(), "problems");
  const std::string error = backing_up();
  EXPECT_NE(error.find("cannot back up to "), std::string::npos) << error;
  expect_damage(error, "which graspd check lists");
}

TEST_F(Damage, ByCuttingIsFoundAtOpening) {
  cut(size() / 2);
  expect_damage(opening(true), "the file is cut off");
  expect_damage(opening(false), "the file is cut off");
  expect_damage(compacting(), "the file is cut off");
}

TEST_F(Damage, ByCuttingOffAnEndThatIsInUseIsFoundAtOpening) {
  cut(size() - kPage);
  expect_damage(opening(false), "the file is cut off");
}

TEST_F(Damage, OfTheBeginningIsFound) {
  cut(kPage + 100);
  expect_damage(opening(false), "it is cut off after 4196 bytes");
  cut(100);
  expect_damage(opening(true), "it is cut off after 100 bytes");
  cut(0);
  expect_damage(opening(false), "it is empty");
  expect_damage(compacting(), "it is empty");
  overwrite(0, std::string(3 * kPage, 'x'));
  expect_damage(opening(false), "it does not begin as a database does");
}

TEST_F(Damage, OfEveryPageIsFoundBeforeItIsCopied) {
  const std::string garbage(kPage, '\xA5');
  int found = 0;
  for (std::uint64_t page = 2; page < size() / kPage; page += 7) {
    std::ifstream in(file(), std::ios::binary);
    std::string before(kPage, '\0');
    in.seekg(static_cast<std::streamoff>(page * kPage)).read(before.data(), kPage);
    overwrite(page * kPage, garbage);
    // A page that no event uses, or the inside of a large value, does no harm to LMDB.
    if (const auto error = checking(); !error.empty() && error != "problems") {
      ++found;
      expect_damage(error, "page ");
      expect_damage(backing_up(), "page ");
      expect_damage(compacting(), "page ");
    }
    overwrite(page * kPage, before);
  }
  EXPECT_GT(found, 10);
  EXPECT_EQ(checking(), "");
}

TEST_F(Damage, AtRandomEndsInASentenceOrInProblems) {
  core::Rng rng(7);
  std::ifstream in(file(), std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  int found = 0;
  for (int round = 0; round < 60; ++round) {
    overwrite(0, whole);
    for (int i = 0; i < 8; ++i) {
      const std::uint64_t where = 2 * kPage + rng.below(size() - 2 * kPage);
      overwrite(where, std::string(1, static_cast<char>(rng.below(256))));
    }
    found += checking().empty() ? 0 : 1;
  }
  EXPECT_GT(found, 0);
}

TEST(FaultDeathTest, InTheMapOfADatabaseIsExplained) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  const TemporaryDirectory directory;
  const std::string file = data_file(directory.path());
  std::ofstream(file) << std::string(2 * kPage, 'x');
  const auto touch_missing_page = [&] {
    explain_faults();
    const int descriptor = ::open(file.c_str(), O_RDONLY);
    const auto* map = static_cast<volatile const char*>(
        ::mmap(nullptr, 4 * kPage, PROT_READ, MAP_SHARED, descriptor, 0));
    ::_exit(map[3 * kPage] == 'x' ? 7 : 8);
  };
  EXPECT_EXIT(touch_missing_page(), ::testing::ExitedWithCode(1), "database is damaged.*backup");
}

TEST(FaultDeathTest, ElsewhereIsStillACrash) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto crash = [] {
    explain_faults();
    ::raise(SIGSEGV);
    ::raise(SIGSEGV);
  };
  EXPECT_EXIT(crash(), ::testing::KilledBySignal(SIGSEGV), "");
}

}  // namespace damage_test
}  // namespace graspd::lmdb
