#include "gitio/fetcher.h"

#include <gtest/gtest.h>

#include "gitio/connectivity.h"
#include "gitio/fetcher_testing.h"

namespace graspd::gitio {
namespace fetcher_test {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using git::FetchFailure;
using testing::commit;
using testing::Fetching;
using testing::holds;
using testing::HttpPeer;
using testing::HttpRequest;
using testing::HttpServer;
using testing::oid;
using testing::Oids;
using testing::set_ref;

TEST_F(Fetching, R1_BringsObjectsIntoQuarantineAndMovesNoRef) {
  const git::Oid tip = commit(remote, "two", {commit(remote, "one")});
  set_ref(remote, "refs/heads/main", tip);
  set_ref(remote, "refs/tags/v1", tip);
  const HttpServer server(testing::serving(sites));
  auto result = fetched(server, {tip});
  ASSERT_TRUE(result) << result.error().error.text;
  EXPECT_EQ(result->came, Oids{tip});
  EXPECT_TRUE(result->lacked.empty());
  EXPECT_EQ(result->commands, 1u);
  EXPECT_GT(result->bytes, 100u);
  EXPECT_FALSE(holds(repo, tip));
  EXPECT_TRUE(Repository::open(result->staging.path())->heads_and_tags()->empty());
  EXPECT_FALSE(fs::exists(result->staging.path() / "FETCH_HEAD"));

  ASSERT_TRUE(result->staging.move_into(repo));
  EXPECT_TRUE(*is_connected(repo, {tip}, 1min));
  EXPECT_TRUE(Repository::open(repo)->heads_and_tags()->empty());
  result->staging.discard();
}

TEST_F(Fetching, R2_AsksOnlyForWhatTheRepositoryLacks) {
  const std::string noise(200'000, 'x');
  std::string large;
  for (std::size_t i = 0; i < noise.size(); ++i) large += static_cast<char>((i * i * 7919) >> 7);
  const git::Oid base = commit(remote, large);
  set_ref(remote, "refs/heads/main", base);
  const HttpServer server(testing::serving(sites));
  {
    auto first = fetched(server, {base});
    ASSERT_TRUE(first);
    ASSERT_TRUE(first->staging.move_into(repo));
    set_ref(repo, "refs/heads/main", base);
  }
  const git::Oid next = commit(remote, "small", {base});
  auto second = fetched(server, {next});
  ASSERT_TRUE(second);
  EXPECT_LT(second->bytes, 5'000u);
  ASSERT_TRUE(second->staging.move_into(repo));
  EXPECT_TRUE(*is_connected(repo, {next}, 1min));
}

TEST_F(Fetching, R2_DropsTheOneOfManyThatIsLacking) {
  std::string stream;
  for (int i = 0; i < 500; ++i)
    stream += fmt::format("commit refs/heads/b{}\ncommitter A <a@example.com> {} +0000\ndata 0\n\n",
                          i, 1'700'000'000 + i);
  testing::git(remote, {"fast-import", "--quiet"}, stream);
  Oids wants = {nowhere};
  const auto refs = Repository::open(remote)->heads_and_tags();
  for (const auto& [ref, tip] : *refs) wants.push_back(tip);
  const HttpServer server(testing::serving(sites));
  const auto result = fetched(server, wants);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->came.size(), 500u);
  EXPECT_EQ(result->lacked, Oids{nowhere});
  EXPECT_EQ(result->commands, 2u);
}

TEST_F(Fetching, R2_FallsBackToWhatIsAdvertised) {
  const git::Oid shown = commit(remote, "shown"), hidden = commit(remote, "hidden");
  set_ref(remote, "refs/heads/main", shown);
  Oids wants = {shown, hidden};
  for (char c = 'a'; c <= 'f'; ++c)
    for (char d = 'a'; d <= 'f'; ++d) wants.push_back(oid(std::string(39, c) + d));
  const HttpServer server(testing::serving(sites));
  const auto result = fetched(server, wants);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->came, Oids{shown});
  EXPECT_EQ(result->lacked.size(), wants.size() - 1);
  EXPECT_LE(result->commands, options.tries_max + 1);
}

TEST_F(Fetching, R2_SaysSoWhenTheRemoteHasNothing) {
  const HttpServer server(testing::serving(sites));
  const auto result = fetched(server, {nowhere});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().error.failure, FetchFailure::Lacks);
  EXPECT_EQ(result.error().lacked, Oids{nowhere});
}

TEST_F(Fetching, R2_RefetchesWhatTheRepositoryLost) {
  const git::Oid base = commit(remote, "base"), tip = commit(remote, "tip", {base});
  set_ref(remote, "refs/heads/main", tip);
  const HttpServer server(testing::serving(sites));
  testing::git(repo, {"fetch", "-q", remote.string(), "refs/heads/main:refs/heads/main"});
  const std::string hex = base.hex();
  fs::remove(repo / "objects" / hex.substr(0, 2) / hex.substr(2));
  ASSERT_FALSE(holds(repo, base));
  auto result = fetch({url_of(server), root, repo, {tip}, true}, options, {});
  ASSERT_TRUE(result) << result.error().error.text;
  ASSERT_TRUE(result->staging.move_into(repo));
  EXPECT_TRUE(holds(repo, base));
}

TEST_F(Fetching, R3_RefusesObjectsThatFailTheCheck) {
  const git::Oid file = testing::blob(remote, "x");
  std::string entry = std::string("100644 ..") + '\0';
  for (const std::uint8_t byte : file.bytes()) entry += static_cast<char>(byte);
  const std::string tree =
      testing::git(remote, {"hash-object", "-t", "tree", "-w", "--stdin", "--literally"}, entry);
  const git::Oid evil = oid(testing::git(remote, {"commit-tree", tree, "-m", "evil"}));
  const HttpServer server(testing::serving(sites));
  const auto result = fetched(server, {evil});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().error.failure, FetchFailure::Corrupt);
}

TEST_F(Fetching, R3_RefusesAPackOfSomethingElse) {
  const git::Oid wanted = commit(remote, "wanted"), other = commit(remote, "other");
  set_ref(remote, "refs/heads/main", wanted);
  set_ref(remote, "refs/heads/other", other);
  const HttpServer server(after_discovery([&](const HttpPeer& peer, HttpRequest request) {
    for (std::size_t at = 0; (at = request.body.find(wanted.hex())) != std::string::npos;)
      request.body.replace(at, 40, other.hex());
    peer.send(testing::git_answer(sites, request));
  }));
  const auto result = fetched(server, {wanted});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().error.failure, FetchFailure::Corrupt);
}

TEST_F(Fetching, R3_RefusesAPackThatIsDamagedOrCut) {
  const git::Oid tip = commit(remote, "wanted");
  for (const bool cut : {false, true}) {
    const HttpServer server(after_discovery([&](const HttpPeer& peer, const HttpRequest& request) {
      std::string answer = testing::git_answer(sites, request);
      const auto pack = answer.find("PACK");
      if (pack != std::string::npos && cut) answer.resize(pack + 30);
      if (pack != std::string::npos && !cut) answer[pack + 20] ^= 0x55;
      peer.send(answer);
    }));
    const auto result = fetched(server, {tip});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().error.failure, cut ? FetchFailure::Broken : FetchFailure::Corrupt)
        << result.error().error.text;
  }
}

}  // namespace fetcher_test
}  // namespace graspd::gitio
