#include "serve/git/git_route.h"

#include <gtest/gtest.h>

namespace graspd::serve {
namespace git_route_test {

const std::string kNpub = "npub10elfcs4fr0l0r8af98jlmgdh9c8tcxjvz9qkw038js35mp4dma8qzvjptg";

std::optional<GitAsk> ask(const std::string& path, std::string_view query = "",
                          http::Method method = http::Method::Get) {
  const auto route = git_route(path, query, method);
  return route ? std::optional(route->ask) : std::nullopt;
}

TEST(GitRoute, KnowsThePageWithAndWithoutASlash) {  // R1
  EXPECT_EQ(ask("/" + kNpub + "/a.git"), GitAsk::Page);
  EXPECT_EQ(ask("/" + kNpub + "/a.git/"), GitAsk::Page);
  EXPECT_EQ(ask("/" + kNpub + "/a.git", "", http::Method::Post), GitAsk::Unknown);
}

TEST(GitRoute, KnowsWhatGitAsksFor) {  // R1
  const std::string base = "/" + kNpub + "/a.git/";
  EXPECT_EQ(ask(base + "info/refs", "service=git-upload-pack"), GitAsk::AdvertiseUpload);
  EXPECT_EQ(ask(base + "info/refs", "service=git-receive-pack", http::Method::Head),
            GitAsk::AdvertiseReceive);
  EXPECT_EQ(ask(base + "git-upload-pack", "", http::Method::Post), GitAsk::Upload);
  EXPECT_EQ(ask(base + "git-receive-pack", "", http::Method::Post), GitAsk::Receive);
}

TEST(GitRoute, HasNoDumbHttpAndNothingElse) {  // R1
  const std::string base = "/" + kNpub + "/a.git/";
  for (const std::string rest :
       {"info/refs", "HEAD", "objects/info/packs", "info/refs/x", "config"})
    EXPECT_EQ(ask(base + rest), GitAsk::Unknown) << rest;
  EXPECT_EQ(ask(base + "info/refs", "service=git-upload-archive"), GitAsk::Unknown);
  EXPECT_EQ(ask(base + "git-upload-pack"), GitAsk::Unknown);
}

TEST(GitRoute, DecodesOnceAndNeverLeavesItsPlace) {  // R2
  const auto spaced = git_route("/" + kNpub + "/my%20tool.git", "", http::Method::Get);
  ASSERT_TRUE(spaced);
  EXPECT_EQ(spaced->coordinate.identifier.text(), "my tool");
  for (const std::string& path :
       {"/" + kNpub + "/%2e%2e%2fetc.git", "/" + kNpub + "/...git", "/" + kNpub + "/..%2f.git",
        "/" + kNpub + "/a", "/../" + kNpub + "/a.git", std::string("/npub1x/a.git"), "/" + kNpub})
    EXPECT_NE(ask(path), GitAsk::Page) << path;
  const auto twice = git_route("/" + kNpub + "/%252e.git", "", http::Method::Get);
  ASSERT_TRUE(twice);
  EXPECT_EQ(twice->coordinate.identifier.text(), "%2e");
}

TEST(GitRoute, LeadsFromPathsWithoutGitToThoseWithIt) {  // R1
  const auto led = [](const std::string& path, http::Method method = http::Method::Get) {
    return path_with_git(path, method).value_or("nowhere");
  };
  const std::string base = "/" + kNpub;
  EXPECT_EQ(led(base + "/a"), base + "/a.git");
  EXPECT_EQ(led(base + "/a/"), base + "/a.git");
  EXPECT_EQ(led(base + "/a", http::Method::Head), base + "/a.git");
  EXPECT_EQ(led(base + "/my%20tool"), base + "/my%20tool.git");
  EXPECT_EQ(led(base + "/a/info/refs"), base + "/a.git/info/refs");
  EXPECT_EQ(led(base + "/a", http::Method::Post), "nowhere");
  EXPECT_EQ(led(base + "/a/git-upload-pack", http::Method::Post), "nowhere");
  for (const std::string& path :
       {base + "/a.git", base + "/a.git/info/refs", base + "/a/HEAD", base, base + "/", base + "//",
        base + "/%2e%2e%2fetc", base + "/..", std::string("/npub1x/a"), "/" + base + "/a",
        std::string("/metrics")})
    EXPECT_EQ(led(path), "nowhere") << path;
}

TEST(GitRoute, KnowsPrRepositoriesWhereTheyAreOn) {  // R1
  const std::string path = "/prs/" + kNpub + "/a.git";
  const auto route = [&](const std::string& rest, std::string_view query, bool on = true) {
    return git_route(path + rest, query, http::Method::Get, on);
  };
  ASSERT_TRUE(route("", ""));
  EXPECT_EQ(route("", "")->ask, GitAsk::Page);
  EXPECT_TRUE(route("", "")->pr_repository);
  EXPECT_EQ(route("/info/refs", "service=git-receive-pack")->ask, GitAsk::AdvertiseReceive);
  EXPECT_FALSE(route("", "", false));
  EXPECT_FALSE(git_route("/" + kNpub + "/a.git", "", http::Method::Get, true)->pr_repository);
  for (const std::string& other : {"/prs/" + kNpub, "/prs/" + kNpub + "/a", "/prs" + path,
                                   "/PRS/" + kNpub + "/a.git", std::string("/prs/npub1x/a.git")})
    EXPECT_FALSE(git_route(other, "", http::Method::Get, true)) << other;
}

TEST(GitRoute, TellsPathsOfRepositoriesFromOthers) {
  EXPECT_TRUE(looks_like_repository("/npub1x/a"));
  EXPECT_FALSE(looks_like_repository("/npub1x"));
  EXPECT_FALSE(looks_like_repository("/metrics"));
  EXPECT_TRUE(looks_like_pr_repository("/prs/x"));
  EXPECT_FALSE(looks_like_pr_repository("/prs"));
}

}  // namespace git_route_test
}  // namespace graspd::serve
