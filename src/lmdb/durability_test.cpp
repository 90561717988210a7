// What remains when the process, the disk or the memory map gives out. Rule numbers are those of
// lmdb/lmdb_store.h.
#include <atomic>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "core/rng.h"
#include "lmdb/store_testing.h"

namespace graspd::lmdb {
namespace durability_test {

using testing::notes;
using testing::open_or_die;
using testing::TemporaryDirectory;

constexpr core::UnixSeconds kNow = 1'000;
constexpr std::uint32_t kBatch = 20;

Options at(const std::string& path) {
  Options options;
  options.path = path;
  return options;
}

// Writes batches for ever from number `first` on, and tells the pipe after each.
[[noreturn]] void write_until_killed(const std::string& path, std::uint32_t first, int pipe) {
  const auto store = open_or_die(at(path));
  for (std::uint32_t batch = first;; ++batch) {
    CHECK(store->write(notes(batch * kBatch, kBatch), kNow));
    CHECK(::write(pipe, &batch, sizeof batch) == sizeof batch);
  }
}

// Lets a child write, kills it after some reports, and returns how many batches it reported.
std::uint32_t write_and_kill(const std::string& path, std::uint32_t first, std::uint64_t patience) {
  int ends[2];
  CHECK(::pipe(ends) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    write_until_killed(path, first, ends[1]);
  }
  ::close(ends[1]);
  std::uint32_t batch = 0, reported = first;
  std::uint64_t reports = 0;
  while (::read(ends[0], &batch, sizeof batch) == sizeof batch) {
    reported = batch + 1;
    if (++reports == patience) ::kill(child, SIGKILL);
  }
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  return reported;
}

TEST(Durability, WhatWasReportedSurvivesAKill) {  // W1
  const std::uint64_t seed = 7;
  SCOPED_TRACE(seed);
  core::Rng rng(seed);
  const TemporaryDirectory directory;
  std::uint32_t batches = 0;
  for (int round = 0; round < 20; ++round) {
    batches = write_and_kill(directory.path(), batches, 1 + rng.below(4));
    const auto store = open_or_die(at(directory.path()));
    const auto snapshot = store->snapshot();
    const std::uint64_t size = (*snapshot)->size();
    EXPECT_EQ(size % kBatch, 0u) << "half a batch";
    EXPECT_GE(size, batches * kBatch);
    for (const store::Write& write : notes(0, batches * kBatch)) {
      ASSERT_TRUE((*snapshot)->contains(write.event->event.id));
    }
    EXPECT_EQ(store->check({})->problems, 0u);
    batches = static_cast<std::uint32_t>(size / kBatch);
  }
}

// In a child, because the limit holds for the whole process: what is left of it is its exit code.
int with_file_size_limit(rlim_t bytes, const std::function<bool()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const struct rlimit limit{bytes, RLIM_INFINITY};
    CHECK(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
    ::_exit(work() ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return status;
}

bool fill_disk_and_go_on(const std::string& path) {
  const auto store = open_or_die(at(path));
  std::uint32_t first = 0;
  auto written = store->write(notes(first, 100, 1'000), kNow);
  while (written) written = store->write(notes(first += 100, 100, 1'000), kNow);
  const auto snapshot_size = [&] { return (*store->snapshot())->size(); };
  if (written.error() != store::StoreError::DiskFull) return false;
  if (first == 0 || snapshot_size() != first || store->newest() != first) return false;
  if (store->check({})->problems != 0) return false;

  const struct rlimit unlimited{RLIM_INFINITY, RLIM_INFINITY};
  CHECK(::setrlimit(RLIMIT_FSIZE, &unlimited) == 0);
  return store->write(notes(first, 100, 1'000), kNow) && snapshot_size() == first + 100 &&
         store->check({})->problems == 0;
}

TEST(Durability, ADiskTooFullToBeginWithIsNoDamage) {
  const TemporaryDirectory directory;
  Options options = at(directory.path());
  options.readers = 16;  // whose lock file is smaller than the first two pages
  EXPECT_EQ(with_file_size_limit(5'000, [&] { return !LmdbStore::open(options); }), 0);
  EXPECT_TRUE(LmdbStore::open(options));
}

TEST(Durability, AFullDiskLosesNothingAndIsNoEnd) {  // R2
  for (const rlim_t limit : {600'000, 1'000'000, 1'234'567}) {
    const TemporaryDirectory directory;
    EXPECT_EQ(with_file_size_limit(limit, [&] { return fill_disk_and_go_on(directory.path()); }),
              0);
  }
}

TEST(Durability, TheMapGrowsWhileOthersRead) {  // R3
  const TemporaryDirectory directory;
  Options options = at(directory.path());
  options.sync = false;
  options.map_bytes = 256 * 1024;
  const auto store = open_or_die(options);
  std::atomic<bool> stop = false;
  std::atomic<int> wrong = 0;
  const auto read_on = [&] {
    while (!stop) {
      const auto snapshot = store->snapshot();
      std::uint64_t seen = 0;
      const auto all =
          (*snapshot)->scan({}, kNow, 1'000'000, [&](auto some) { seen += some.size(); });
      if (!all || seen != (*snapshot)->size()) ++wrong;
    }
  };
  std::thread one(read_on), two(read_on);
  for (std::uint32_t first = 0; first < 5'000; first += 100) {
    EXPECT_TRUE(store->write(notes(first, 100, 1'000), kNow));
  }
  stop = true;
  one.join();
  two.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ((*store->snapshot())->size(), 5'000u);
  EXPECT_EQ(store->check({})->problems, 0u);
}

TEST(Durability, AReaderThatStaysMakesTheStoreBusyNotStuck) {  // R3
  const TemporaryDirectory directory;
  Options options = at(directory.path());
  options.map_bytes = 256 * 1024;
  options.readers_leave_within = core::Duration(1);
  const auto store = open_or_die(options);
  ASSERT_TRUE(store->write(notes(0, 10), kNow));
  {
    const auto held = store->snapshot();
    const auto written = store->write(notes(10, 1'000), kNow);
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error(), store::StoreError::Busy);
    EXPECT_EQ((*held)->size(), 10u);
  }
  EXPECT_TRUE(store->write(notes(10, 1'000), kNow));
  EXPECT_EQ((*store->snapshot())->size(), 1'010u);
}

TEST(Durability, TheMapHasAnEnd) {  // R3
  const TemporaryDirectory directory;
  Options options = at(directory.path());
  options.map_bytes = 256 * 1024;
  options.map_bytes_max = 512 * 1024;
  const auto store = open_or_die(options);
  const auto written = store->write(notes(0, 2'000), kNow);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error(), store::StoreError::DiskFull);
  EXPECT_TRUE(store->write(notes(0, 10), kNow));
}

}  // namespace durability_test
}  // namespace graspd::lmdb
