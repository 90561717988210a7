// What remotes do that mean no good, or cannot help it.
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <thread>

#include "gitio/fetcher.h"
#include "gitio/fetcher_testing.h"

namespace graspd::gitio {
namespace fetcher_attack_test {

using namespace std::chrono_literals;
using git::FetchFailure;
using testing::commit;
using testing::Fetching;
using testing::HttpPeer;
using testing::HttpRequest;
using testing::HttpServer;
using testing::set_ref;

constexpr std::string_view kAdvertisement =
    "Content-Type: application/x-git-upload-pack-advertisement\r\n";
constexpr std::string_view kResult = "Content-Type: application/x-git-upload-pack-result\r\n";

std::string packet(std::string_view text) { return fmt::format("{:04x}{}", text.size() + 4, text); }

TEST_F(Fetching, R4_EndsAnEndlessPack) {
  options.pack_bytes_max = 300'000;
  const HttpServer server(after_discovery([](const HttpPeer& peer, const HttpRequest&) {
    peer.send(fmt::format("HTTP/1.1 200 OK\r\n{}\r\n{}", kResult, packet("packfile\n")));
    std::string pack = std::string("\1PACK\0\0\0\2\0\xff\xff\xff", 13);
    peer.send(packet(pack));
    // A blob of 1 GiB, in stored blocks of deflate.
    const std::string start = std::string("\1\xb0\x80\x80\x80\x80\x01\x78\x01", 9);
    peer.send(packet(start));
    const std::string block = std::string("\1\0\xff\x7f\x00\x80", 6) + std::string(0x7fff, 'x');
    while (peer.send(packet(block))) {
    }
  }));
  EXPECT_EQ(failure(server), FetchFailure::TooLarge);
}

TEST_F(Fetching, R4_EndsAnEndlessAdvertisement) {
  options.memory_max = 128 << 20;
  const HttpServer server([](const HttpPeer& peer, const HttpRequest&) {
    peer.send(fmt::format("HTTP/1.1 200 OK\r\n{}\r\n", kAdvertisement));
    const std::string junk(1 << 20, 'x');
    while (peer.send(junk)) {
    }
  });
  EXPECT_EQ(failure(server), FetchFailure::TooLarge);
}

TEST_F(Fetching, R4_EndsARemoteThatSaysNothing) {
  options.silence_max = 300ms;
  const HttpServer mute([](const HttpPeer& peer, const HttpRequest&) { peer.wait_for_end(); });
  EXPECT_EQ(failure(mute), FetchFailure::Stalled);
  const HttpServer stalling(after_discovery([](const HttpPeer& peer, const HttpRequest&) {
    peer.send(fmt::format("HTTP/1.1 200 OK\r\n{}\r\n{}", kResult, packet("packfile\n")));
    peer.wait_for_end();
  }));
  EXPECT_EQ(failure(stalling), FetchFailure::Stalled);
}

TEST_F(Fetching, R4_EndsARemoteThatOnlyChats) {
  options.deadline = 500ms;
  const HttpServer server(after_discovery([](const HttpPeer& peer, const HttpRequest&) {
    peer.send(fmt::format("HTTP/1.1 200 OK\r\n{}\r\n{}", kResult, packet("packfile\n")));
    while (peer.send(packet("\2just a moment\n"))) std::this_thread::yield();
  }));
  EXPECT_EQ(failure(server), FetchFailure::Stalled);
}

TEST_F(Fetching, R4_StopsWhenToldTo) {
  std::stop_source source;
  const HttpServer server([&](const HttpPeer& peer, const HttpRequest&) {
    source.request_stop();
    peer.wait_for_end();
  });
  const auto result = fetched(server, {nowhere}, source.get_token());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().error.failure, FetchFailure::Stopped);
}

TEST_F(Fetching, R5_GoesToNoPrivateAddress) {
  options.allow_private_addresses = false;
  options.lookup = [](const std::string&) {
    return std::vector{*core::IpAddress::parse("127.0.0.1")};
  };
  const HttpServer server(testing::serving(sites));
  for (const char* host : {"127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "localhost", "10.0.0.1",
                           "169.254.169.254", "[64:ff9b::7f00:1]", "[fe80::1]", "0.0.0.0"}) {
    const auto result = fetch({url_of(server, host), root, repo, {nowhere}}, options, {});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().error.failure, FetchFailure::Forbidden) << host;
    EXPECT_EQ(result.error().commands, 0u);
  }
  EXPECT_EQ(server.requests(), 0);
}

TEST_F(Fetching, R5_GoesToTheAddressThatWasJudged) {
  const git::Oid tip = commit(remote, "x");
  const HttpServer server(testing::serving(sites));
  int asked = 0;
  options.lookup = [&](const std::string& host) {
    EXPECT_EQ(host, "git.example");
    return std::vector{*core::IpAddress::parse(asked++ == 0 ? "127.0.0.1" : "192.0.2.1")};
  };
  const auto result = fetch({url_of(server, "git.example"), root, repo, {tip}}, options, {});
  ASSERT_TRUE(result) << result.error().error.text;
  EXPECT_EQ(asked, 1);
}

TEST_F(Fetching, R5_FollowsNoRedirect) {
  const HttpServer inner(testing::serving(sites));
  for (const char* status : {"301 Moved", "302 Found", "307 Temporary", "308 Permanent"}) {
    const HttpServer server([&](const HttpPeer& peer, const HttpRequest& request) {
      peer.answer(status,
                  fmt::format("Location: http://127.0.0.1:{}{}?{}\r\n", inner.port(), request.path,
                              request.query),
                  "");
    });
    EXPECT_EQ(failure(server), FetchFailure::NotFound) << status;
  }
  EXPECT_EQ(inner.requests(), 0);
}

TEST_F(Fetching, R5_TellsNobodyWhoWeAre) {
  const HttpServer server([](const HttpPeer& peer, const HttpRequest& request) {
    EXPECT_EQ(request.header("authorization"), "");
    EXPECT_EQ(request.header("cookie"), "");
    peer.answer("401 Unauthorized", "WWW-Authenticate: Basic realm=\"x\"\r\n", "");
  });
  EXPECT_EQ(failure(server), FetchFailure::Unauthorized);
}

TEST_F(Fetching, R5_SpeaksNoDumbHttp) {
  const git::Oid tip = commit(remote, "x");
  set_ref(remote, "refs/heads/main", tip);
  testing::git(remote, {"update-server-info"});
  const HttpServer server([&](const HttpPeer& peer, const HttpRequest& request) {
    std::ifstream file(sites / request.path.substr(1), std::ios::binary);
    const std::string content((std::istreambuf_iterator<char>(file)), {});
    peer.answer(file ? "200 OK" : "404 Not Found", "Content-Type: text/plain\r\n", content);
  });
  const auto result = fetched(server, {tip});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().error.failure, FetchFailure::NotGit);
}

TEST_F(Fetching, SaysWhatWentWrong) {
  const auto answering = [](std::string status, std::string headers = "", std::string body = "") {
    return [=](const HttpPeer& peer, const HttpRequest&) { peer.answer(status, headers, body); };
  };
  EXPECT_EQ(failure(HttpServer(answering("404 Not Found"))), FetchFailure::NotFound);
  EXPECT_EQ(failure(HttpServer(answering("403 Forbidden"))), FetchFailure::Unauthorized);
  EXPECT_EQ(failure(HttpServer(answering("500 Oops"))), FetchFailure::Broken);
  EXPECT_EQ(failure(HttpServer(answering("200 OK", "Content-Type: text/html\r\n", "<html>"))),
            FetchFailure::NotGit);
  EXPECT_EQ(failure(HttpServer(answering("200 OK", std::string(kAdvertisement), "nonsense"))),
            FetchFailure::NotGit);
  EXPECT_EQ(failure(HttpServer([](const HttpPeer&, const HttpRequest&) {})), FetchFailure::Broken);
}

TEST_F(Fetching, SaysHowLongToWait) {
  const HttpServer server([](const HttpPeer& peer, const HttpRequest&) {
    peer.answer("429 Too Many Requests", "Retry-After: 17\r\n", "");
  });
  const auto result = fetched(server, {nowhere});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().error.failure, FetchFailure::RateLimited);
  EXPECT_EQ(result.error().error.http_status, 429);
  EXPECT_EQ(result.error().error.retry_after, core::Duration(17s));
}

TEST_F(Fetching, KnowsNobodyIsThere) {
  std::uint16_t port = 0;
  {
    const HttpServer gone(testing::serving(sites));
    port = gone.port();
  }
  const auto url = *git::FetchUrl::parse(fmt::format("http://127.0.0.1:{}/a.git", port));
  const auto result = fetch({url, root, repo, {nowhere}}, options, {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().error.failure, FetchFailure::Unreachable);
}

TEST_F(Fetching, KnowsTlsFromItsAbsence) {
  const HttpServer plain(testing::serving(sites));
  const testing::MutePort mute;
  const auto failure_at = [&](std::uint16_t port) {
    const auto url = *git::FetchUrl::parse(fmt::format("https://127.0.0.1:{}/a.git", port));
    const auto result = fetch({url, root, repo, {nowhere}}, options, {});
    CHECK(!result);
    return result.error().error.failure;
  };
  EXPECT_EQ(failure_at(plain.port()), FetchFailure::Tls);
  options.connect_timeout = 700ms;
  EXPECT_EQ(failure_at(mute.port()), FetchFailure::TimedOut);
}

TEST_F(Fetching, KnowsNamesThatStandForNothing) {
  options.lookup = [](const std::string&) { return std::vector<core::IpAddress>{}; };
  const HttpServer server(testing::serving(sites));
  const auto result = fetch({url_of(server, "git.example"), root, repo, {nowhere}}, options, {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().error.failure, FetchFailure::Name);
}

}  // namespace fetcher_attack_test
}  // namespace graspd::gitio
