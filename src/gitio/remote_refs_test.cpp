#include "gitio/remote_refs.h"

#include <chrono>
#include <gtest/gtest.h>

#include "gitio/fetch_testing.h"
#include "gitio/process.h"
#include "gitio/repositories_testing.h"

namespace graspd::gitio {
namespace remote_refs_test {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using git::FetchFailure;
using testing::commit;
using testing::HttpPeer;
using testing::HttpRequest;
using testing::HttpServer;
using testing::make_repository;
using testing::ref_name;
using testing::set_ref;

class RemoteRefsReading : public ::testing::Test {
 protected:
  const testing::TemporaryFolder folder;
  const fs::path remote = make_repository(folder.path() / "a.git");
  RemoteRefsOptions options;

  void SetUp() override {
    adopt_orphans();  // as the server does
    options.allow_private_addresses = true;
    options.tick = 10ms;
  }
  auto read(const HttpServer& server, std::stop_token stop = {}) const {
    const auto url = git::FetchUrl::parse(fmt::format("http://127.0.0.1:{}/a.git", server.port()));
    return read_remote_refs(*url, options, stop);
  }
  FetchFailure failure(const HttpServer& server) const {
    const auto result = read(server);
    CHECK(!result);
    return result.error().failure;
  }
};

TEST_F(RemoteRefsReading, R1_FindsHeadsTagsAndNostr) {
  const git::Oid tip = commit(remote, "one");
  const std::string nostr = "refs/nostr/" + std::string(64, 'a');
  for (const std::string& ref : {std::string("refs/heads/main"), std::string("refs/tags/v1"), nostr,
                                 std::string("refs/pull/1/head")})
    set_ref(remote, ref, tip);
  testing::git(remote, {"tag", "-a", "-m", "x", "v2", tip.hex()});
  testing::git(remote, {"symbolic-ref", "HEAD", "refs/heads/main"});
  const git::Oid tag = testing::oid(testing::git(remote, {"rev-parse", "refs/tags/v2"}));
  const auto result = read(HttpServer(testing::serving(folder.path())));
  ASSERT_TRUE(result) << result.error().text;
  EXPECT_EQ(result->refs, (git::Refs{{ref_name("refs/heads/main"), tip},
                                     {ref_name("refs/tags/v1"), tip},
                                     {ref_name("refs/tags/v2"), tag},
                                     {ref_name(nostr), tip}}));
  EXPECT_EQ(result->head, ref_name("refs/heads/main"));
}

TEST_F(RemoteRefsReading, R1_FindsNothingInAnEmptyRepository) {
  const auto result = read(HttpServer(testing::serving(folder.path())));
  ASSERT_TRUE(result) << result.error().text;
  EXPECT_TRUE(result->refs.empty());
}

TEST_F(RemoteRefsReading, R2_RefusesTooMuch) {
  const git::Oid tip = commit(remote, "one");
  std::string updates;
  for (int i = 0; i < 200; ++i) updates += fmt::format("create refs/heads/b{} {}\n", i, tip.hex());
  testing::git(remote, {"update-ref", "--stdin"}, updates);
  const HttpServer server(testing::serving(folder.path()));
  options.refs_max = 200;
  EXPECT_TRUE(read(server));
  options.refs_max = 199;
  EXPECT_EQ(failure(server), FetchFailure::TooLarge);
  options = {};
  options.allow_private_addresses = true;
  options.output_max = 1000;
  EXPECT_EQ(failure(server), FetchFailure::TooLarge);
}

TEST_F(RemoteRefsReading, R2_EndsAtItsDeadline) {
  options.deadline = 300ms;
  EXPECT_EQ(
      failure(HttpServer([](const HttpPeer& peer, const HttpRequest&) { peer.wait_for_end(); })),
      FetchFailure::TimedOut);
}

TEST_F(RemoteRefsReading, R2_StopsWhenToldTo) {
  std::stop_source source;
  const HttpServer server([&](const HttpPeer& peer, const HttpRequest&) {
    source.request_stop();
    peer.wait_for_end();
  });
  const auto result = read(server, source.get_token());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().failure, FetchFailure::Stopped);
}

TEST_F(RemoteRefsReading, R3_GoesToNoPrivateAddress) {
  options.allow_private_addresses = false;
  const HttpServer server(testing::serving(folder.path()));
  EXPECT_EQ(failure(server), FetchFailure::Forbidden);
  EXPECT_EQ(server.requests(), 0);
}

TEST_F(RemoteRefsReading, SaysWhatWentWrong) {
  EXPECT_EQ(failure(HttpServer(testing::serving(folder.path() / "elsewhere"))),
            FetchFailure::NotFound);
  EXPECT_EQ(failure(HttpServer([](const HttpPeer& peer, const HttpRequest&) {
              peer.answer("200 OK", "Content-Type: text/html\r\n", "<html>");
            })),
            FetchFailure::NotGit);
}

}  // namespace remote_refs_test
}  // namespace graspd::gitio
