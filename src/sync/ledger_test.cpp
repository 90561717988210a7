#include "sync/ledger.h"

#include "gtest/gtest.h"

namespace graspd::sync {
namespace ledger_test {

Slice roots(std::vector<std::uint32_t> ids) { return {FilterClass::RootE, std::move(ids)}; }

TEST(Ledger, IsPaidWhenAllOfItWasRead) {  // R1
  Ledger ledger;
  ledger.owe(FilterClass::RootE, {1, 2, 3}, {});
  ledger.pay(roots({1, 3}), {});
  EXPECT_FALSE(ledger.is_paid());
  ledger.pay({FilterClass::RootBigE, {2}}, {});  // another question
  EXPECT_FALSE(ledger.is_paid());
  ledger.pay(roots({2}), {});
  EXPECT_TRUE(ledger.is_paid());
  EXPECT_EQ(ledger.read().at(FilterClass::RootE), (IdSet{1, 2, 3}));
}

TEST(Ledger, LeavesTheRestOfATimeSpan) {  // R2
  Ledger ledger;
  ledger.owe(FilterClass::RootE, {1, 2}, {});
  ledger.pay(roots({1, 2}), {.since = {}, .until = 99});
  ledger.pay(roots({1, 2}), {.since = 101, .until = {}});
  ASSERT_EQ(ledger.debts().size(), 1u);
  EXPECT_EQ(ledger.debts()[0].window, (Window{100, 100}));
  ledger.pay(roots({1}), {.since = 100, .until = 100});
  EXPECT_FALSE(ledger.is_paid());
  EXPECT_EQ(ledger.read().at(FilterClass::RootE), (IdSet{1}));
  ledger.pay(roots({2}), {.since = 50, .until = 150});
  EXPECT_TRUE(ledger.is_paid());
}

TEST(Ledger, CountsAnnouncementsAsOne) {
  Ledger ledger;
  ledger.owe(announcement_slice(true), {});
  EXPECT_FALSE(ledger.is_paid());
  ledger.pay(announcement_slice(false), {});
  EXPECT_FALSE(ledger.is_paid());  // states are not among them
  ledger.pay(announcement_slice(true), {});
  EXPECT_TRUE(ledger.is_paid());
}

TEST(Ledger, ForgetsWhatIsNotWantedAnyMore) {
  Ledger ledger;
  ledger.owe(FilterClass::RootE, {1, 2}, {});
  ledger.owe(FilterClass::States, {5, 6}, {});
  ledger.pay(roots({1}), {});
  Items wanted;
  wanted.roots = {2};
  wanted.states = {6};
  ledger.keep(wanted);
  EXPECT_EQ(ledger.debts().size(), 2u);
  EXPECT_TRUE(ledger.read().at(FilterClass::RootE).empty());  // 1 must be read anew
  ledger.pay(roots({2}), {});
  ledger.pay({FilterClass::States, {6}}, {});
  EXPECT_TRUE(ledger.is_paid());
}

TEST(Ledger, KnowsWhichItemsWereNotReadForAllTheirTags) {
  Items items;
  items.repos = {1, 2};
  items.states = {3};
  items.roots = {7, 8};
  ReadValues read = values_of(items, false);
  EXPECT_TRUE(unread_of(items, false, read).empty());
  read[FilterClass::RootQ].remove(8);
  read[FilterClass::States].remove(3);
  Items expected;
  expected.roots = {8};
  expected.states = {3};
  EXPECT_EQ(unread_of(items, false, read), expected);
  expected.states = {};
  EXPECT_EQ(unread_of(items, true, read), expected);  // states come with the announcements there
}

}  // namespace ledger_test
}  // namespace graspd::sync
