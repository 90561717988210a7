#include "grasp/uploads.h"

#include <gtest/gtest.h>

#include "grasp/policy_testing.h"

namespace graspd::grasp {
namespace uploads_test {

using namespace testing;
using Tokens = std::vector<std::string>;

Upload upload(std::string token, std::uint32_t owner, std::uint64_t bytes,
              std::string_view from = "1.1.1.1", core::UnixSeconds expires = kStart) {
  return {std::move(token),
          coordinate(owner),
          pull_request(9, 1)->event.id,
          *git::Oid::parse(oid('b')),
          bytes,
          expires,
          false,
          *core::IpAddress::parse(from)};
}

constexpr UploadLimits kSmall{.per_repo_max = 4,
                              .bytes_per_repo_max = 100,
                              .max = 6,
                              .bytes_max = 150,
                              .in_pr_repositories_max = 1,
                              .bytes_in_pr_repositories_max = 50};

TEST(Uploads, AreBoundedPerRepositoryAndInAll) {  // R2
  Uploads uploads(kSmall);
  uploads.put(upload("one", 1, 60));
  EXPECT_EQ(uploads.making_space(upload("two", 1, 40)), Tokens{});
  EXPECT_FALSE(uploads.making_space(upload("two", 1, 41)));
  EXPECT_EQ(uploads.making_space(upload("two", 2, 90)), Tokens{});
  EXPECT_FALSE(uploads.making_space(upload("two", 2, 91)));
  for (const char* token : {"two", "three", "four"}) uploads.put(upload(token, 1, 1));
  EXPECT_FALSE(uploads.making_space(upload("five", 1, 1)));
  EXPECT_EQ(uploads.making_space(upload("five", 2, 1)), Tokens{});
  uploads.put(upload("five", 2, 1));
  uploads.put(upload("six", 3, 1));
  EXPECT_FALSE(uploads.making_space(upload("seven", 4, 1)));
}

TEST(Uploads, InPrRepositoriesAreCountedApart) {  // R2
  Uploads uploads(kSmall);
  Upload in_pr_repository = upload("tray", 1, 10);
  in_pr_repository.in_pr_repository = true;
  uploads.put(in_pr_repository);
  in_pr_repository.token = "more";
  in_pr_repository.repo = coordinate(2);
  EXPECT_FALSE(uploads.making_space(in_pr_repository));
  EXPECT_EQ(uploads.making_space(upload("one", 1, 100)), Tokens{});
}

TEST(Uploads, OfTheAddressThatHasMostGoForOthers) {  // R3
  Uploads uploads(kSmall);
  uploads.put(upload("honest", 1, 10, "2.2.2.2", kStart - 9));
  uploads.put(upload("later", 1, 40, "1.1.1.1", kStart + 2));
  uploads.put(upload("sooner", 1, 40, "1.1.1.1", kStart + 1));
  EXPECT_EQ(uploads.making_space(upload("new", 1, 20, "3.3.3.3")), Tokens{"sooner"});
  EXPECT_FALSE(uploads.making_space(upload("new", 1, 20, "1.1.1.1")));
  EXPECT_FALSE(uploads.making_space(upload("big", 1, 85, "3.3.3.3")));
  EXPECT_FALSE(uploads.making_space(upload("huge", 1, 101, "3.3.3.3")));
}

TEST(Uploads, ThatAreManyGoAsThoseThatAreBig) {  // R3
  Uploads uploads(kSmall);
  for (const char* token : {"a", "b", "c", "d"}) uploads.put(upload(token, 1, 1));
  EXPECT_EQ(uploads.making_space(upload("new", 1, 1, "2.2.2.2")), Tokens{"a"});
}

TEST(Uploads, InOtherRepositoriesStayWhenOneRepositoryIsFull) {  // R3
  Uploads uploads(kSmall);
  uploads.put(upload("elsewhere", 2, 50));
  for (const char* token : {"a", "b", "c", "d"}) uploads.put(upload(token, 1, 20));
  EXPECT_EQ(uploads.making_space(upload("new", 1, 20, "2.2.2.2")), Tokens{"a"});
}

TEST(Uploads, OfOneNetworkAreOfOne) {  // R3
  Uploads uploads(kSmall);
  for (const char* token : {"a", "b", "c", "d"}) uploads.put(upload(token, 1, 1, "2001:db8::1"));
  EXPECT_FALSE(uploads.making_space(upload("new", 1, 1, "2001:db8::2")));
  EXPECT_EQ(uploads.making_space(upload("new", 1, 1, "2001:db8:0:1::2")), Tokens{"a"});
}

}  // namespace uploads_test
}  // namespace graspd::grasp
