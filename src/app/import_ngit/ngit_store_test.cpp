#include "app/import_ngit/ngit_store.h"

#include <fstream>
#include <gtest/gtest.h>

#include "app/import_ngit/flat_event.h"
#include "app/import_ngit/ngit_testing.h"
#include "lmdb/store_testing.h"

namespace graspd::lmdb {
namespace ngit_store_test {

using testing::TemporaryDirectory;

class NgitStores : public ::testing::Test {
 protected:
  NgitStores() : written_(directory_.path()) {}
  void put(const char* table, Bytes key, Bytes value) { written_.put(table, key, value); }
  void put(const nostr::Event& event) { written_.put(event); }

  TemporaryDirectory directory_;
  testing::NgitWriter written_;
};

std::vector<std::uint8_t> coordinate_key(std::string_view identifier, std::size_t length) {
  std::vector<std::uint8_t> key{0x77, 0x99};  // 30617
  key.resize(34, 0xAB);
  key.push_back(static_cast<std::uint8_t>(length));
  key.insert(key.end(), identifier.begin(), identifier.end());
  key.resize(35 + 182);
  return key;
}

TEST_F(NgitStores, ShowTheirEventsAndNothingElse) {
  const auto first = store::testing::event(1, 1, 10)->event;
  const auto second = store::testing::event(2, 30'617, 20, {{"d", "x"}})->event;
  put(first);
  put(second);
  put("ci", bytes_of(1), {});
  put("deleted-ids", first.id.bytes(), {});
  const auto stores = NgitStore::open(directory_.path());
  ASSERT_TRUE(stores) << stores.error();
  std::vector<nostr::Event> found;
  ASSERT_TRUE(stores->for_each([&](Bytes value) {
    const auto event = nostr::parse_flat_event(value);
    ASSERT_TRUE(event);
    found.push_back(*event);
  }));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_TRUE(found[0] == first || found[1] == first);
  EXPECT_TRUE(found[0] == second || found[1] == second);
}

TEST_F(NgitStores, TellWhatWasDeleted) {
  const auto event = store::testing::event(1, 1, 10)->event;
  const std::uint64_t until = 1'234;
  put("deleted-ids", event.id.bytes(), {});
  put("deleted-coordinates", coordinate_key("hello", 5), bytes_of(until));
  put("deleted-coordinates", coordinate_key("too long", 200), bytes_of(until));
  put("deleted-coordinates", coordinate_key("timeless", 8), {});
  const auto found = NgitStore::open(directory_.path())->refusals();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->ids, std::vector{event.id});
  ASSERT_EQ(found->addresses.size(), 1u);
  EXPECT_EQ(found->addresses[0].address.kind, nostr::Kind{30'617});
  EXPECT_EQ(found->addresses[0].address.identifier, "hello");
  EXPECT_EQ(found->addresses[0].until, 1'234);
}

TEST_F(NgitStores, AreNotTouched) {  // R1
  put(store::testing::event(1, 1, 10)->event);
  std::filesystem::remove(directory_.path("lock.mdb"));
  const auto read = [&] {
    std::ifstream in(data_file(directory_.path()), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  };
  const std::string before = read();
  ASSERT_TRUE(NgitStore::open(directory_.path()));
  EXPECT_EQ(read(), before);
  EXPECT_FALSE(std::filesystem::exists(directory_.path("lock.mdb")));
}

TEST_F(NgitStores, ThatAreDamagedAreRefused) {  // R2
  for (std::uint32_t i = 0; i < 200; ++i) put(store::testing::event(i, 1, 10 + i)->event);
  std::filesystem::resize_file(data_file(directory_.path()), 4 * 4096);
  const auto refused = NgitStore::open(directory_.path());
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().find("damaged"), std::string::npos) << refused.error();
  EXPECT_FALSE(NgitStore::open(directory_.path("nowhere")));
}

TEST(Refusals, HoldWhoeverSendsTheEvent) {
  const auto store = testing::open_in_memory();
  const auto refused = store::testing::event(1, 1, 10);
  const auto old = store::testing::event(1, 30'617, 10, {{"d", "x"}});
  const auto young = store::testing::event(1, 30'617, 30, {{"d", "x"}});
  Refusals refusals{{refused->event.id}, {{{nostr::Kind{30'617}, old->event.pubkey, "x"}, 20}}};
  ASSERT_TRUE(store->refuse(refusals));
  const store::Write batch[] = {{refused}, {old}, {young}, {store::testing::event(2, 1, 10)}};
  const auto written = store->write(batch, 100);
  ASSERT_TRUE(written);
  EXPECT_EQ((*written)[0].outcome, store::Outcome::Deleted);
  EXPECT_EQ((*written)[1].outcome, store::Outcome::Deleted);
  EXPECT_EQ((*written)[2].outcome, store::Outcome::Stored);
  EXPECT_EQ((*written)[3].outcome, store::Outcome::Stored);
}

}  // namespace ngit_store_test
}  // namespace graspd::lmdb
