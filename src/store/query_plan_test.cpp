#include "store/query_plan.h"

#include <gtest/gtest.h>

#include "store/testing/events.h"

namespace graspd::store {
namespace query_plan_test {

using testing::author;

nostr::Filter with_tags(std::vector<nostr::TagCondition> tags) {
  nostr::Filter filter;
  filter.tags = std::move(tags);
  return filter;
}

TEST(QueryPlan, ReadsNothingForAnImpossibleFilter) {
  nostr::Filter filter;
  filter.authors.emplace();
  EXPECT_EQ(plan_query(filter).index, Index::Nothing);
}

TEST(QueryPlan, PrefersIds) {  // R2
  nostr::Filter filter = with_tags({{'e', {"x"}}});
  filter.ids = {{nostr::EventId()}};
  EXPECT_EQ(plan_query(filter), (Plan{Index::Ids, 0, false}));
}

TEST(QueryPlan, PrefersReferencesToAuthorsAndAuthorsToOtherTags) {  // R2
  nostr::Filter filter = with_tags({{'e', {"x"}}, {'t', {"y"}}});
  filter.authors = {{author(1)}};
  EXPECT_EQ(plan_query(filter), (Plan{Index::Tag, 0, false}));
  filter.tags.erase(filter.tags.begin());
  EXPECT_EQ(plan_query(filter), (Plan{Index::Author, 0, false}));
  filter.kinds = {{{1}}};
  EXPECT_EQ(plan_query(filter), (Plan{Index::AuthorKind, 0, false}));
}

TEST(QueryPlan, TakesTheTagWithTheFewestValues) {  // R2
  EXPECT_EQ(plan_query(with_tags({{'d', {"x", "y"}}, {'t', {"z"}}})), (Plan{Index::Tag, 1, false}));
}

TEST(QueryPlan, KindAndTimeNeedNoLookAtTheEvent) {  // R1
  nostr::Filter filter = with_tags({{'a', {"x"}}});
  filter.kinds = {{{1}}};
  filter.since = 5;
  EXPECT_EQ(plan_query(filter), (Plan{Index::Tag, 0, true}));
  filter.tags.clear();
  EXPECT_EQ(plan_query(filter), (Plan{Index::Kind, 0, true}));
  filter.kinds.reset();
  EXPECT_EQ(plan_query(filter), (Plan{Index::Time, 0, true}));
}

TEST(QueryPlan, LeavesAnIndexThatNeedsTooManyKeys) {  // R3
  nostr::Filter filter;
  filter.authors.emplace();
  for (std::uint32_t i = 0; i < kKeysMax; ++i) filter.authors->push_back(author(i));
  filter.kinds = {{{1}}};
  EXPECT_EQ(plan_query(filter).index, Index::AuthorKind);
  filter.kinds = {{{1}, {2}}};
  EXPECT_EQ(plan_query(filter).index, Index::Author);
  filter.authors->push_back(author(kKeysMax));
  EXPECT_EQ(plan_query(filter), (Plan{Index::Kind, 0, false}));
  filter.kinds.reset();
  EXPECT_EQ(plan_query(filter), (Plan{Index::Time, 0, false}));
}

}  // namespace query_plan_test
}  // namespace graspd::store
