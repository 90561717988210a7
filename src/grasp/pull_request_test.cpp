#include "grasp/pull_request.h"

#include <gtest/gtest.h>

#include "store/testing/events.h"

namespace graspd::grasp {
namespace pull_request_test {

using store::testing::author;

const std::string kCommit(40, 'c');
const std::string kOwner = author(2).hex();

PullRequest parse(std::uint16_t kind, nostr::Tags tags) {
  return parse_pull_request(store::testing::event(1, kind, 100, std::move(tags))->event);
}
Coordinate coordinate(std::uint32_t owner, std::string_view identifier) {
  return {author(owner), *Identifier::parse(identifier)};
}

TEST(PullRequest, IsReadFromItsTags) {
  const auto request = parse(1618, {{"a", "30617:" + kOwner + ":x"},
                                    {"c", kCommit},
                                    {"clone", "https://a/x.git", "", "https://b/x.git"},
                                    {"E", std::string(64, 'e')}});
  EXPECT_EQ(request.author, author(1));
  EXPECT_EQ(request.created_at, 100);
  EXPECT_EQ(request.repositories, std::vector{coordinate(2, "x")});
  EXPECT_TRUE(request.has_c);
  EXPECT_EQ(request.commit, git::Oid::parse(kCommit));
  EXPECT_EQ(request.clone, (std::vector<std::string>{"https://a/x.git", "https://b/x.git"}));
  EXPECT_FALSE(request.parent);
}

TEST(PullRequest, NamesEachRepositoryOnceWithColonsAndAll) {  // R1
  const auto request = parse(1618, {{"a", "30617:" + kOwner + ":a:b:c"},
                                    {"a", "30617:" + kOwner + ":a:b:c", "wss://hint"},
                                    {"a", "30618:" + kOwner + ":state"},
                                    {"a", "30617:" + kOwner + ":../x"},
                                    {"a", "30617:" + kOwner},
                                    {"a", "junk"},
                                    {"a"},
                                    {"A", "30617:" + kOwner + ":upper"},
                                    {"a", "30617:" + author(3).hex() + ":y"}});
  EXPECT_EQ(request.repositories, (std::vector{coordinate(2, "a:b:c"), coordinate(3, "y")}));
}

TEST(PullRequest, NamesABoundedNumberOfRepositories) {  // R1
  nostr::Tags tags;
  for (int i = 0; i < 200; ++i) {
    tags.begin_row();
    tags.append("a");
    tags.append("30617:" + kOwner + ":" + std::to_string(i));
  }
  EXPECT_EQ(parse(1618, tags).repositories.size(), kRepositoriesMax);
}

TEST(PullRequest, KeepsNoCommitThatGitCouldMisread) {  // R2
  for (const std::string& value :
       {std::string(64, 'a'), std::string("abc123"), std::string("--output=x"), std::string("HEAD"),
        std::string(40, 'C'), std::string(40, '0')}) {
    const auto request = parse(1618, {{"c", value}});
    EXPECT_TRUE(request.has_c) << value;
    EXPECT_FALSE(request.commit) << value;
  }
  for (const nostr::Tags& tags : {nostr::Tags{}, nostr::Tags{{"c"}}, nostr::Tags{{"c", ""}}}) {
    EXPECT_FALSE(parse(1618, tags).has_c);
  }
  EXPECT_FALSE(parse(1618, {{"c", "junk"}, {"c", kCommit}}).commit);
}

TEST(PullRequestUpdate, NamesThePullRequest) {
  const std::string id(64, 'e');
  EXPECT_EQ(parse(1619, {{"E", id}}).parent, nostr::EventId::from_hex(id));
  EXPECT_FALSE(parse(1619, {{"E", "junk"}}).parent);
  EXPECT_FALSE(parse(1619, {}).parent);
}

}  // namespace pull_request_test
}  // namespace graspd::grasp
