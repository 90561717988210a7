#include "grasp/pr_repository.h"

#include <gtest/gtest.h>

#include "grasp/policy_testing.h"

namespace graspd::grasp {
namespace pr_repository_test {

using namespace testing;

constexpr std::uint32_t kOwner = 1, kSubmitter = 7;

std::string npub(std::uint32_t key) { return nostr::nip19::npub(author(key)); }
std::string url(std::uint32_t submitter = kSubmitter, const std::string& identifier = "project") {
  return "https://us.example/prs/" + npub(submitter) + "/" + identifier + ".git";
}
std::optional<Coordinate> at(std::string_view text, std::string_view mount = "/") {
  return pr_repository_at(text, *Service::parse("us.example", mount));
}
PullRequest pull(const Rows& more, std::uint32_t by = kSubmitter) {
  Rows rows{{"c", oid('b')}};
  rows.insert(rows.end(), more.begin(), more.end());
  return parse_pull_request(event(by, 1618, kStart, tags(rows))->event);
}
std::vector<Coordinate> pr_repositories(const PullRequest& of) {
  return pr_repositories_for(of, *Service::parse("us.example"));
}

TEST(PrRepository, IsNamedByItsUrlAlone) {  // R1
  EXPECT_EQ(at(url()), coordinate(kSubmitter));
  EXPECT_EQ(at("http://US.example:80/prs/" + npub(kSubmitter) + "/project.git"),
            coordinate(kSubmitter));
  EXPECT_EQ(at(url(kSubmitter, "my%20tool")), coordinate(kSubmitter, "my tool"));
  const std::string path = "/prs/" + npub(kSubmitter) + "/project.git";
  for (const std::string& other :
       {"us.example" + path, "https://us.example:8443" + path, "https://us.example.evil" + path,
        "https://evil.example/https://us.example" + path, "ssh://us.example" + path, url() + "/",
        url() + "?", url() + "?a=b", url() + "#a", url() + "/info/refs",
        "https://us.example/prs/" + author(kSubmitter).hex() + "/project.git",
        "https://us.example/prs/" + npub(kSubmitter) + "/project",
        "https://us.example/prs/" + npub(kSubmitter) + "/..%2fproject.git",
        "https://us.example//prs/" + npub(kSubmitter) + "/project.git",
        "https://us.example/" + npub(kSubmitter) + "/project.git"})
    EXPECT_FALSE(at(other)) << other;
}

TEST(PrRepository, LiesBelowTheMount) {  // R1
  const std::string path = "/prs/" + npub(kSubmitter) + "/project.git";
  EXPECT_EQ(at("https://us.example/grasp" + path, "/grasp"), coordinate(kSubmitter));
  EXPECT_FALSE(at("https://us.example" + path, "/grasp"));
}

TEST(PrRepository, IsForPullRequestsOfItsOwnerThatNameIt) {  // R2
  const Rows good{{"a", address(kOwner)}, {"clone", "https://them.example/x.git", url()}};
  EXPECT_EQ(pr_repositories(pull(good)), std::vector<Coordinate>{coordinate(kSubmitter)});
  EXPECT_TRUE(pr_repositories(pull(good, 8)).empty());
  EXPECT_TRUE(pr_repositories(pull({{"a", address(kOwner, "other")}, {"clone", url()}})).empty());
  EXPECT_TRUE(pr_repositories(pull({{"a", address(kOwner)}})).empty());
  EXPECT_TRUE(pr_repositories(pull({{"clone", url()}})).empty());
}

TEST(PrRepository, IsNamedOncePerIdentifier) {  // R2
  const Rows two{{"a", address(kOwner)},
                 {"a", address(2)},
                 {"a", address(2, "fork")},
                 {"clone", url(), url(), url(kSubmitter, "fork")}};
  EXPECT_EQ(pr_repositories(pull(two)),
            (std::vector<Coordinate>{coordinate(kSubmitter), coordinate(kSubmitter, "fork")}));
}

TEST(PrRepository, TakesWhatThePullRequestNames) {  // R3
  const Service service = *Service::parse("us.example");
  const PullRequest good = pull({{"a", address(kOwner)}, {"clone", url()}});
  const auto commit = *git::Oid::parse(oid('b'));
  const auto fault = [&](const PullRequest& of, const Coordinate& pr_repository,
                         const git::Oid& pushed) {
    return pr_repository_fault(of, pr_repository, pushed, service).value_or("");
  };
  EXPECT_EQ(fault(good, coordinate(kSubmitter), commit), "");
  EXPECT_EQ(fault(good, coordinate(kSubmitter), *git::Oid::parse(oid('c'))),
            "PR event " + good.id.hex() + " specifies commit " + oid('b') + ", but push contains " +
                oid('c'));
  EXPECT_NE(fault(good, coordinate(8), commit).find("signed by another key"), std::string::npos);
  EXPECT_NE(fault(good, coordinate(kSubmitter, "x"), commit).find("another repository"),
            std::string::npos);
  EXPECT_NE(fault(pull({{"a", address(kOwner)}}), coordinate(kSubmitter), commit)
                .find("no 'clone' value with this URL"),
            std::string::npos);
}

TEST(PrRepository, HasAFolderOfItsOwn) {
  const Coordinate pr_repository = coordinate(kSubmitter, "my tool.git");
  const std::string path = pr_repository_path(pr_repository);
  EXPECT_EQ(path, "prs/" + author(kSubmitter).hex() + "/my tool.git.git");
  EXPECT_EQ(parse_pr_repository_path(author(kSubmitter).hex(), "my tool.git.git"), pr_repository);
  EXPECT_FALSE(parse_pr_repository_path("abc", "a.git"));
  EXPECT_FALSE(parse_pr_repository_path(author(kSubmitter).hex(), ".a~"));
  EXPECT_FALSE(parse_pr_repository_path(author(kSubmitter).hex(), "...git"));
}

}  // namespace pr_repository_test
}  // namespace graspd::grasp
