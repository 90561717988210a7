#include "grasp/coordinate.h"

#include <algorithm>
#include <cctype>
#include <gtest/gtest.h>

#include "nostr/nip19.h"
#include "store/testing/events.h"

namespace graspd::grasp {
namespace coordinate_test {

using store::testing::author;

Coordinate coordinate(std::uint32_t owner, std::string_view identifier) {
  return {author(owner), *Identifier::parse(identifier)};
}
std::string npub(std::uint32_t number) { return nostr::nip19::npub(author(number)); }

TEST(Coordinate, LiesBesideOthersOfItsIdentifier) {  // R1
  std::vector<Coordinate> some = {coordinate(1, "b"), coordinate(2, "a"), coordinate(1, "a")};
  std::sort(some.begin(), some.end());
  EXPECT_EQ(some[0].identifier.text(), "a");
  EXPECT_EQ(some[1].identifier.text(), "a");
  EXPECT_LT(some[0].owner, some[1].owner);
  EXPECT_EQ(some[2], coordinate(1, "b"));
}

TEST(Coordinate, NamesItsEventsAndItsPlaces) {
  const auto repository = coordinate(1, "my repo:ä");
  EXPECT_EQ(repository.announcement_address().text(), "30617:" + author(1).hex() + ":my repo:ä");
  EXPECT_EQ(repository.state_address(author(2)).text(), "30618:" + author(2).hex() + ":my repo:ä");
  EXPECT_EQ(repository.path(), npub(1) + "/my repo:ä.git");
  EXPECT_EQ(repository.url_path(), "/" + npub(1) + "/my%20repo%3A%C3%A4.git");
}

TEST(Coordinate, IsReadFromTheAddressOfAnAnnouncement) {
  EXPECT_EQ(Coordinate::from_address({kinds::kAnnouncement, author(1), "a:b"}),
            coordinate(1, "a:b"));
  EXPECT_FALSE(Coordinate::from_address({kinds::kState, author(1), "a"}));
  EXPECT_FALSE(Coordinate::from_address({kinds::kAnnouncement, author(1), "../x"}));
  EXPECT_FALSE(Coordinate::from_address({kinds::kAnnouncement, author(1), ""}));
}

TEST(Coordinate, IsReadFromARequest) {  // R2
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"a.git", "a"},
      {"a.git.git", "a.git"},
      {"my%20repo.git", "my repo"},
      {"my repo.git", "my repo"},
      {"a%2Egit", "a"},
      {"a+b.git", "a+b"},
      {"%252e.git", "%2e"},
      {"%F0%9F%9A%80.git", "🚀"},
  };
  for (const auto& [segment, identifier] : cases) {
    EXPECT_EQ(Coordinate::from_url_path(npub(1), segment), coordinate(1, identifier)) << segment;
  }
}

TEST(Coordinate, ComesBackFromItsOwnUrl) {
  for (const char* identifier : {"a", "x.git", "my repo", "a%b", "ä:🚀", ".x", "a?b#c"}) {
    const auto repository = coordinate(1, identifier);
    const auto url = repository.url_path();
    const auto slash = url.rfind('/');
    EXPECT_EQ(Coordinate::from_url_path(url.substr(1, slash - 1), url.substr(slash + 1)),
              repository);
  }
}

TEST(Coordinate, IsRefusedWhenTheRequestIsDoubtful) {  // R2
  for (const char* segment :
       {"", "a", ".git", "a.GIT", "a.git/", "%2e%2e%2fa.git", "..%2f..%2fa.git", "a%2fb.git",
        "a%5cb.git", "a%00.git", "a%0a.git", "%2e.git", "...git", "..git", "a%2.git", "a%zz.git",
        "%c0%af.git", "a.git%2f"}) {
    EXPECT_FALSE(Coordinate::from_url_path(npub(1), segment)) << segment;
  }
  std::string upper = npub(1);
  std::transform(upper.begin(), upper.end(), upper.begin(), ::toupper);
  std::string broken = npub(1);
  broken.back() = broken.back() == 'q' ? 'p' : 'q';
  for (const std::string& owner :
       {std::string(), std::string("npub1"), std::string(".."), upper, broken, author(1).hex(),
        npub(1) + "/", npub(1).substr(1), nostr::nip19::note(nostr::EventId())}) {
    EXPECT_FALSE(Coordinate::from_url_path(owner, "a.git")) << owner;
  }
}

}  // namespace coordinate_test
}  // namespace graspd::grasp
