#include "grasp/rejected_ids.h"

#include <gtest/gtest.h>
#include <random>

#include "grasp/note_testing.h"
#include "store/testing/events.h"

namespace graspd::grasp {
namespace rejected_ids_test {

using store::testing::event;
using Keys = std::vector<std::string>;

const auto kPeer = *nostr::RelayUrl::parse("wss://peer.example");
const auto kOther = *nostr::RelayUrl::parse("wss://other.example/x");

struct Memory {
  explicit Memory(RejectedLimits with = {}) : limits(with), ids(with) {}

  void add(const nostr::WireEventPtr& wire, const Keys& lacks = {}, core::UnixSeconds now = 0,
           const nostr::RelayUrl* relay = &kPeer, Reason reason = Reason::Lacking) {
    testing::NewNotes notes(book);
    ids.add(wire->event, reason, relay, lacks, now, notes);
  }
  void expire(core::UnixSeconds now) {
    testing::NewNotes notes(book);
    ids.expire(now, notes);
  }
  std::vector<RejectedIds::Forgotten> forget(std::size_t max = 1'000) {
    testing::NewNotes notes(book);
    return ids.forget_called(max, notes);
  }
  std::vector<RejectedIds::Forgotten> call(const std::string& key) {
    ids.call(key);
    return forget();
  }
  void restart() {
    ids = RejectedIds(limits);
    for (const auto& [key, value] : book) EXPECT_TRUE(ids.restore(key, value)) << value;
  }
  bool has(const nostr::WireEventPtr& wire) const { return ids.contains(wire->event.id); }

  testing::Book book;
  RejectedLimits limits;
  RejectedIds ids;
};

nostr::WireEventPtr numbered(std::uint32_t number) { return event(number, 1, number); }

TEST(RejectedIds, AreForgottenWhenWhatTheyLackedArrives) {  // R2
  Memory memory;
  memory.add(numbered(1), {"a", "b"});
  memory.add(numbered(2), {"b"}, 0, &kOther);
  memory.add(numbered(3), {"c"}, 0, nullptr);
  EXPECT_TRUE(memory.call("x").empty());
  const auto forgotten = memory.call("b");
  ASSERT_EQ(forgotten.size(), 2U);
  EXPECT_EQ(forgotten[0].id, numbered(1)->event.id);
  EXPECT_EQ(forgotten[0].relay, kPeer);
  EXPECT_EQ(forgotten[1].relay, kOther);
  EXPECT_FALSE(memory.has(numbered(1)));
  EXPECT_TRUE(memory.has(numbered(3)));
  EXPECT_TRUE(memory.call("a").empty());
  EXPECT_FALSE(memory.call("c").front().relay);
  EXPECT_EQ(memory.ids.bytes(), 0U);
  EXPECT_TRUE(memory.book.empty());
}

TEST(RejectedIds, AreForgottenInPartsAndWithoutThoseRefusedSince) {  // R2
  Memory memory;
  for (std::uint32_t number = 0; number < 10; ++number) memory.add(numbered(number), {"k"});
  memory.ids.call("k");
  EXPECT_EQ(memory.forget(4).size(), 4U);
  memory.add(numbered(0), {"k"});  // came again, in vain
  EXPECT_EQ(memory.forget(4).size(), 4U);
  EXPECT_EQ(memory.forget(4).size(), 2U);
  EXPECT_EQ(memory.forget(4).size(), 0U);
  EXPECT_TRUE(memory.has(numbered(0)));
  EXPECT_EQ(memory.call("k").size(), 1U);
}

TEST(RejectedIds, AreForgottenInTime) {  // R3
  Memory memory({.memory = 100});
  memory.add(event(1, 30617, 1), {}, 0);
  memory.add(event(1, 30618, 1), {}, 50);
  memory.add(event(1, 30617, 1), {}, 60);  // the first refusal counts
  memory.expire(99);
  EXPECT_EQ(memory.ids.current(), (PerType{1, 1, 0}));
  memory.expire(100);
  EXPECT_EQ(memory.ids.current(), (PerType{0, 1, 0}));
  EXPECT_EQ(memory.ids.expired(), (PerType{1, 0, 0}));
  EXPECT_EQ(memory.book.size(), 1U);
}

TEST(RejectedIds, HaveTheReasonOfTheLastRefusal) {
  Memory memory;
  memory.add(numbered(1), {"k"}, 5);
  memory.add(numbered(1), {}, 9, &kPeer, Reason::Deleted);
  EXPECT_EQ(memory.ids.find(numbered(1)->event.id)->reason, Reason::Deleted);
  EXPECT_EQ(memory.ids.size(), 1U);
  EXPECT_TRUE(memory.call("k").empty());
}

TEST(RejectedIds, AreSoManyAndNoMoreAndTheOldestGoFirst) {  // R3
  Memory few({.entries_max = 5}), small({.bytes_max = 5'000});
  for (std::uint32_t number = 0; number < 100; ++number) {
    few.add(numbered(number), {"k"});
    small.add(numbered(number), Keys(number % 7, std::string(1, static_cast<char>(number))));
    EXPECT_LE(small.ids.bytes(), 5'000U);
  }
  EXPECT_EQ(few.ids.size(), 5U);
  EXPECT_EQ(few.book.size(), 5U);
  EXPECT_TRUE(few.has(numbered(95)) && few.has(numbered(99)));
  EXPECT_GT(small.ids.size(), 3U);
  EXPECT_EQ(small.book.size(), small.ids.size());
}

TEST(RejectedIds, OfTooManyTagsAreNotRemembered) {  // R4
  Memory memory({.tags_max = 3});
  const auto tagged = [](int count) {
    nostr::Tags tags;
    for (int i = 0; i < count; ++i)
      tags.begin_row(), tags.append("t"), tags.append(std::to_string(i));
    return event(1, 1, 5, std::move(tags));
  };
  memory.add(tagged(3));
  memory.add(tagged(4));
  EXPECT_TRUE(memory.has(tagged(3)));
  EXPECT_FALSE(memory.has(tagged(4)));
}

std::vector<store::Position> matches(const RejectedIds& ids, const nostr::Filter& filter,
                                     std::size_t slice) {
  std::vector<store::Position> found;
  std::optional<RejectedIds::Number> from = 0;
  while (from) from = ids.match(DigestFilter(filter), *from, slice, found);
  return found;
}

TEST(RejectedIds, AreFoundByFilterHoweverTheyAreRead) {
  Memory memory;
  std::vector<store::Position> expected;
  for (std::uint32_t number = 0; number < 20; ++number) {
    const auto wire = event(number, static_cast<std::uint16_t>(number % 2), number);
    memory.add(wire);
    if (number % 2 == 1) expected.push_back({wire->event.created_at, wire->event.id});
  }
  nostr::Filter odd;
  odd.kinds = {{{1}}};
  for (const std::size_t slice : {1U, 3U, 10U, 20U, 100U})
    EXPECT_EQ(matches(memory.ids, odd, slice), expected);
}

TEST(RejectedIds, AreTheSameAfterARestart) {  // R5
  Memory memory;
  const auto issue = event(1, 1621, 5, {{"a", "x"}, {"p", "y"}});
  memory.add(issue, {"k", "l"}, 7);
  memory.add(event(2, 30617, 5), {}, 8, nullptr, Reason::Unwelcome);
  memory.add(event(3, 1, 5), {"k"}, 9);
  const auto before = *memory.ids.find(issue->event.id);
  const std::size_t bytes = memory.ids.bytes();
  memory.restart();
  const Rejected* after = memory.ids.find(issue->event.id);
  ASSERT_TRUE(after);
  EXPECT_EQ(after->event, before.event);
  EXPECT_EQ(after->since, 7);
  EXPECT_EQ(after->reason, Reason::Lacking);
  EXPECT_EQ(memory.ids.bytes(), bytes);
  memory.add(event(4, 1, 5), {"k"}, 10);  // takes nobody's place
  EXPECT_EQ(memory.book.size(), 4U);
  const auto forgotten = memory.call("l");
  ASSERT_EQ(forgotten.size(), 1U);
  EXPECT_EQ(forgotten[0].relay, kPeer);
  EXPECT_EQ(memory.call("k").size(), 2U);
}

TEST(RejectedIds, PassOverNotesThatCannotBeRead) {
  RejectedIds ids;
  const std::string hex(64, 'a');
  for (const std::string& junk :
       {std::string(), std::string("1 2 3"), "1 99 3 4 " + hex + " " + hex + " -\n\n",
        "1 4 3 4 " + hex + " " + hex + " -\nxyz\n", "1 4 3 70000 " + hex + " " + hex + " -\n\n"})
    EXPECT_FALSE(ids.restore("rejected/0000000000000001", junk)) << junk;
  const std::string good = "1 4 3 4 " + hex + " " + hex + " -\n\n";
  EXPECT_FALSE(ids.restore("rejected/x", good));
  EXPECT_TRUE(ids.restore("rejected/0000000000000001", good));
  EXPECT_FALSE(ids.restore("rejected/0000000000000002", good));  // twice
}

TEST(RejectedIds, HaveTheSameNotesAsEntriesAfterAnything) {  // R5
  std::mt19937 random(1);
  Memory memory({.entries_max = 50, .bytes_max = 30'000, .memory = 60});
  const auto key = [&] { return std::string(1, static_cast<char>('a' + random() % 8)); };
  for (core::UnixSeconds now = 0; now < 3'000; ++now) {
    const auto wire = numbered(static_cast<std::uint32_t>(random() % 200));
    memory.add(wire, {key(), key()}, now, random() % 2 ? &kPeer : &kOther);
    if (random() % 7 == 0) memory.call(key());
    if (random() % 5 == 0) memory.expire(now);
    ASSERT_EQ(memory.ids.size(), memory.book.size());
    if (random() % 50 == 0) memory.restart();
  }
  for (char name = 'a'; name < 'i'; ++name) memory.call(std::string(1, name));
  EXPECT_EQ(memory.ids.size(), 0U);
  EXPECT_EQ(memory.ids.bytes(), 0U);
}

}  // namespace rejected_ids_test
}  // namespace graspd::grasp
