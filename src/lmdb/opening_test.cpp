// Opening, sharing and copying a database directory. Rule numbers are those of lmdb/lmdb_store.h.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lmdb/env.h"
#include "lmdb/lmdb_store.h"
#include "lmdb/migrate.h"
#include "lmdb/store_testing.h"

namespace graspd::lmdb {
namespace opening_test {

using store::testing::event;
using testing::notes;
using testing::open_or_die;
using testing::TemporaryDirectory;

constexpr core::UnixSeconds kNow = 1'000;

Options at(const std::string& path) {
  Options options;
  options.path = path;
  options.sync = false;
  return options;
}
Options to_read(const std::string& path) {
  Options options = at(path);
  options.read_only = true;
  return options;
}
std::uint64_t size_of(const LmdbStore& store) { return (*store.snapshot())->size(); }

TEST(LmdbStore, KeepsEventsAndSerialsOverAReopening) {
  const TemporaryDirectory directory;
  const auto last = event(1, 1, 5);
  {
    const auto store = open_or_die(at(directory.path("events")));
    const store::Write batch[] = {{event(1, 1, 4)}, {last}};
    ASSERT_TRUE(store->write(batch, kNow));
    const store::Write vanish[] = {{event(1, 62, 6), true}};
    ASSERT_TRUE(store->write(vanish, kNow));
  }
  const auto store = open_or_die(at(directory.path("events")));
  EXPECT_EQ(store->newest(), 3u);
  EXPECT_EQ(size_of(*store), 1u);
  const store::Write again[] = {{last}, {event(1, 1, 7)}};
  const auto written = store->write(again, kNow);
  EXPECT_EQ((*written)[0].outcome, store::Outcome::Vanished);
  EXPECT_EQ((*written)[1].serial, 4u);
}

TEST(LmdbStore, RefusesASecondWriter) {
  const TemporaryDirectory directory;
  auto first = open_or_die(at(directory.path()));
  const auto second = LmdbStore::open(at(directory.path()));
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error(), "cannot open the event database in " + directory.path() +
                                ": another process is using it (is the server running?)");
  first.reset();
  EXPECT_TRUE(LmdbStore::open(at(directory.path())));
}

TEST(LmdbStore, SaysWhatIsWrongWithThePath) {  // R6
  const TemporaryDirectory directory;
  const auto missing = LmdbStore::open(to_read(directory.path("nowhere")));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error(),
            "cannot open the event database in " + directory.path("nowhere") + ": there is none");
  EXPECT_FALSE(LmdbStore::open(at("/proc/nowhere")));
}

TEST(LmdbStore, RefusesANewerFormat) {
  const TemporaryDirectory directory;
  {
    Env env({directory.path(), 0, 1 << 20, 8});
    Txn txn(env, Txn::Mode::Write);
    ASSERT_TRUE(bring_up_to_date(txn, {current_format().number + 1, {}}));
    txn.commit();
  }
  const auto opened = LmdbStore::open(at(directory.path()));
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().find("newer graspd"), std::string::npos);
}

// Lets the two processes of a test take turns.
struct Turn {
  Turn() { CHECK(::pipe(ends) == 0); }
  void pass() { CHECK(::write(ends[1], "x", 1) == 1); }
  void wait() {
    char letter = 0;
    CHECK(::read(ends[0], &letter, 1) == 1);
  }
  int ends[2];
};

TEST(LmdbStore, IsReadBesideTheWriter) {  // R4
  const TemporaryDirectory directory;
  Options small = at(directory.path()), reading = to_read(directory.path());
  small.map_bytes = reading.map_bytes = 1 << 20;
  Turn readers, writers;
  const pid_t child = ::fork();
  if (child == 0) {
    const auto writer = open_or_die(small);
    CHECK(writer->write(notes(0, 10), kNow));
    readers.pass();
    writers.wait();
    CHECK(writer->write(notes(10, 3'000), kNow));
    readers.pass();
    writers.wait();
    ::_exit(0);
  }
  readers.wait();
  const auto reader = open_or_die(reading);
  EXPECT_EQ(size_of(*reader), 10u);
  EXPECT_FALSE(LmdbStore::open(small));
  writers.pass();
  readers.wait();
  EXPECT_EQ(size_of(*reader), 3'010u);
  EXPECT_EQ(reader->check({})->problems, 0u);
  writers.pass();
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(LmdbStore, InMemoryLeavesNothingBehind) {  // R5
  const TemporaryDirectory directory;
  Options options = at(directory.path());
  options.in_memory = true;
  const auto store = open_or_die(options);
  ASSERT_TRUE(store->write(notes(0, 10), kNow));
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
  EXPECT_EQ(size_of(*store), 10u);
}

TEST(LmdbStore, IsBackedUpWhileInUse) {
  const TemporaryDirectory directory;
  const auto store = open_or_die(at(directory.path("events")));
  ASSERT_TRUE(store->write(notes(0, 500), kNow));
  const auto snapshot = store->snapshot();
  for (const bool compact : {false, true}) {
    const std::string to = directory.path(compact ? "compact" : "plain");
    ASSERT_TRUE(store->backup(to, compact));
    EXPECT_FALSE(store->backup(to, compact)) << "must not overwrite a backup";
    const auto copy = open_or_die(at(to));
    EXPECT_EQ(size_of(*copy), 500u);
    EXPECT_EQ(copy->check({})->problems, 0u);
  }
}

TEST(LmdbStore, IsBackedUpForItsOwnerOnly) {
  const TemporaryDirectory directory;
  const auto store = open_or_die(at(directory.path("events")));
  ASSERT_TRUE(store->write(notes(0, 5), kNow));
  ASSERT_TRUE(store->backup(directory.path("a/b/"), true));
  const auto mode = [&](const std::string& name) {
    using std::filesystem::perms;
    return std::filesystem::status(directory.path(name)).permissions() & perms::mask;
  };
  EXPECT_EQ(mode("a"), std::filesystem::perms(0700));
  EXPECT_EQ(mode("a/b"), std::filesystem::perms(0700));
  EXPECT_EQ(mode("a/b/data.mdb"), std::filesystem::perms(0600));
}

TEST(LmdbStore, ReplacesAnEarlierBackupWhenTold) {
  using Earlier = LmdbStore::Earlier;
  const TemporaryDirectory directory;
  const auto store = open_or_die(at(directory.path("events")));
  const std::string to = directory.path("copy");
  ASSERT_TRUE(store->backup(to, true, Earlier::Replaced));
  ASSERT_TRUE(store->write(notes(0, 5), kNow));
  const auto done = store->backup(to, true, Earlier::Replaced);
  ASSERT_TRUE(done) << done.error();
  {
    const auto copy = open_or_die(at(to));
    EXPECT_EQ(size_of(*copy), 5u);
    const auto in_use = store->backup(to, true, Earlier::Replaced);
    ASSERT_FALSE(in_use);
    EXPECT_NE(in_use.error().find("another process is using it"), std::string::npos);
  }
  const auto itself = store->backup(directory.path("events"), true, Earlier::Replaced);
  ASSERT_FALSE(itself);
  EXPECT_NE(itself.error().find("the database itself"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(to + "/unfinished"));
}

TEST(Compact, MakesTheFileSmallerAndKeepsTheEvents) {
  const TemporaryDirectory directory;
  {
    const auto store = open_or_die(at(directory.path()));
    ASSERT_TRUE(store->write(notes(0, 2'000, 1'000), kNow));
    std::vector<store::Write> requests;
    for (std::uint32_t i = 1; i < 7; ++i) requests.push_back({event(i, 62, 9'000), true});
    ASSERT_TRUE(store->write(requests, kNow));
  }
  const auto sizes = compact(directory.path());
  ASSERT_TRUE(sizes) << sizes.error();
  EXPECT_LT(sizes->bytes_after, sizes->bytes_before / 2);
  const auto store = open_or_die(at(directory.path()));
  EXPECT_EQ(size_of(*store), 6u + 286u);
  EXPECT_EQ(store->check({})->problems, 0u);
  EXPECT_TRUE(store->write(notes(5'000, 10), kNow));
}

TEST(Compact, RefusesADatabaseInUse) {
  const TemporaryDirectory directory;
  EXPECT_FALSE(compact(directory.path()));
  {
    const auto writer = open_or_die(at(directory.path()));
    EXPECT_FALSE(compact(directory.path()));
  }
  const auto reader = open_or_die(to_read(directory.path()));
  const auto refused = compact(directory.path());
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().find("another process is reading it"), std::string::npos);
}

}  // namespace opening_test
}  // namespace graspd::lmdb
