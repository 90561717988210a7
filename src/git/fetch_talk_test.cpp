#include "git/fetch_talk.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace graspd::git {
namespace fetch_talk_test {

constexpr std::string_view kTrace = "05:47:55.286119 http.c:725              ";
constexpr std::string_view kAdvertised =
    "Content-Type: application/x-git-upload-pack-advertisement";

const Oid kOne = *Oid::parse("1111111111111111111111111111111111111111");
const Oid kTwo = *Oid::parse("2222222222222222222222222222222222222222");

std::string info(std::string_view text) { return fmt::format("{}== Info: {}\n", kTrace, text); }
std::string sent(std::string_view text) {
  return fmt::format("{}=> Send header: {}\n", kTrace, text);
}
std::string received(std::string_view text) {
  return fmt::format("{}<= Recv header: {}\n", kTrace, text);
}
std::string answered(std::string_view status) {
  return info("Connected to git.example (192.0.2.1) port 443 (#0)") +
         sent("GET /a.git/info/refs?service=git-upload-pack HTTP/1.1") + received(status);
}
std::string advertised() { return answered("HTTP/2 200") + received(kAdvertised); }
std::string posted() {
  return advertised() + sent("POST /a.git/git-upload-pack HTTP/1.1") + received("HTTP/2 200") +
         received("content-type: application/x-git-upload-pack-result");
}

FetchTalk heard(std::string_view text) {
  FetchTalk talk({kOne, kTwo});
  talk.add(text);
  talk.end();
  return talk;
}
FetchError concluded(std::string_view text, bool is_fetch = true) {
  return heard(text).conclude(true, is_fetch);
}
FetchFailure failure(std::string_view text, bool is_fetch = true) {
  return concluded(text, is_fetch).failure;
}

TEST(FetchTalk, R1_SeesHowFarItCame) {
  EXPECT_EQ(failure(info("Failed to connect") + "fatal: unable to access 'x'\n"),
            FetchFailure::Unreachable);
  const std::string connected = info("Connected to git.example (192.0.2.1) port 443 (#0)");
  EXPECT_EQ(failure(connected), FetchFailure::Tls);
  EXPECT_EQ(heard(connected).conclude(false, true).failure, FetchFailure::Unreachable);
  EXPECT_FALSE(heard(connected).requested());
  EXPECT_TRUE(heard(connected + sent("GET / HTTP/1.1")).requested());
  EXPECT_EQ(failure(connected + sent("GET / HTTP/1.1")), FetchFailure::Broken);
}

TEST(FetchTalk, R1_SeesTheStatus) {
  EXPECT_EQ(failure(answered("HTTP/1.1 401 Unauthorized")), FetchFailure::Unauthorized);
  EXPECT_EQ(failure(answered("HTTP/1.1 403 Forbidden")), FetchFailure::Unauthorized);
  EXPECT_EQ(failure(answered("HTTP/2 404")), FetchFailure::NotFound);
  EXPECT_EQ(failure(answered("HTTP/1.1 301 Moved")), FetchFailure::NotFound);
  EXPECT_EQ(failure(answered("HTTP/1.1 502 Bad Gateway")), FetchFailure::Broken);
  EXPECT_EQ(concluded(answered("HTTP/1.1 418 ")).http_status, 418);
  EXPECT_EQ(failure(posted() + received("HTTP/2 429")), FetchFailure::RateLimited);
  EXPECT_EQ(failure(answered("HTTP/1.1 100 Continue") + received("HTTP/1.1 404 ")),
            FetchFailure::NotFound);
}

TEST(FetchTalk, R1_SeesHowLongToWait) {
  const auto error = concluded(answered("HTTP/2 429") + received("retry-after: 30"));
  EXPECT_EQ(error.failure, FetchFailure::RateLimited);
  EXPECT_EQ(error.retry_after, core::Duration(std::chrono::seconds(30)));
  EXPECT_EQ(failure(answered("HTTP/1.1 503 Busy") + received("Retry-After: 5")),
            FetchFailure::RateLimited);
  EXPECT_EQ(failure(answered("HTTP/1.1 503 Busy")), FetchFailure::Broken);
  const auto date = concluded(answered("HTTP/2 429") + received("Retry-After: Mon, 16 Nov 2026"));
  EXPECT_EQ(date.failure, FetchFailure::RateLimited);
  EXPECT_FALSE(date.retry_after);
  const auto long_time = concluded(answered("HTTP/2 429") + received("Retry-After: 4000000000"));
  EXPECT_EQ(long_time.retry_after, core::Duration(std::chrono::hours(24)));
}

TEST(FetchTalk, R1_SeesWhoSpeaksGit) {
  EXPECT_FALSE(heard(advertised()).is_dumb());
  EXPECT_TRUE(heard(answered("HTTP/1.1 200 OK") + received("Content-Type: text/html")).is_dumb());
  EXPECT_EQ(failure(answered("HTTP/1.1 200 OK") + received("Content-Type: text/html")),
            FetchFailure::NotGit);
  EXPECT_EQ(failure(answered("HTTP/1.1 200 OK")), FetchFailure::NotGit);
  EXPECT_EQ(failure(advertised() + "fatal: protocol error: bad line length\n"),
            FetchFailure::NotGit);
  EXPECT_EQ(failure(posted(), false), FetchFailure::NotGit);
}

TEST(FetchTalk, R1_SeesWhatHappenedToThePack) {
  EXPECT_EQ(failure(posted() + "error: object 12: hasDotdot\nfatal: index-pack failed\n"),
            FetchFailure::Corrupt);
  EXPECT_EQ(failure(posted() + "fatal: early EOF\n"), FetchFailure::Broken);
  EXPECT_EQ(failure(posted() + "error: RPC failed; curl 18 transfer closed\n"),
            FetchFailure::Broken);
  EXPECT_EQ(failure(posted() + "error: RPC failed; curl 60 certificate\n"), FetchFailure::Tls);
  EXPECT_EQ(failure(posted() + "fatal: remote error: no\n"), FetchFailure::Broken);
  EXPECT_EQ(failure(posted() + "fatal: write error: No space left on device\n"),
            FetchFailure::OurFault);
  EXPECT_EQ(failure("fatal: Out of memory, realloc failed\n"), FetchFailure::TooLarge);
}

TEST(FetchTalk, R1_BelievesNoProse) {
  EXPECT_EQ(failure(posted() + "remote: " + received("HTTP/1.1 429 Too Many Requests")),
            FetchFailure::Corrupt);
  EXPECT_EQ(failure(posted() + "remote: fatal: early EOF\n"), FetchFailure::Corrupt);
  EXPECT_TRUE(heard("remote: fatal: remote error: not our ref " + kOne.hex()).refused().empty());
  for (const char* excuse :
       {"No space left on device", "Out of memory", "<= Recv header: HTTP/2 429"})
    EXPECT_EQ(failure(fmt::format("{}fatal: remote error: {}\n", posted(), excuse)),
              FetchFailure::Broken)
        << excuse;
}

TEST(FetchTalk, R2_CollectsRefusedWants) {
  const auto talk =
      heard(posted() + "fatal: remote error: upload-pack: not our ref " + kOne.hex() + "\n");
  EXPECT_EQ(talk.refused(), std::set<Oid>{kOne});
  EXPECT_EQ(talk.conclude(true, true).failure, FetchFailure::Lacks);
  const std::string unadvertised = "error: Server does not allow request for unadvertised object ";
  const auto both = heard(unadvertised + kOne.hex() + "\n" + unadvertised + kTwo.hex() + "\n");
  EXPECT_EQ(both.refused().size(), 2u);
  EXPECT_TRUE(heard("error: object " + kOne.hex() + ": hasDotdot\n").refused().empty());
  EXPECT_TRUE(heard("fatal: remote error: upload-pack: not our ref " + std::string(40, '3'))
                  .refused()
                  .empty());
}

TEST(FetchTalk, R3_KeepsLittle) {
  FetchTalk talk;
  for (int i = 0; i < 1000; ++i) talk.add(std::string(10'000, 'x'));
  talk.add("\nfatal: " + std::string(10'000, 'y') + "\n");
  EXPECT_LT(talk.conclude(true, true).text.size(), 1000u);
}

TEST(FetchTalk, ReadsLinesCutAnywhere) {
  const std::string text = answered("HTTP/2 429") + received("retry-after: 30");
  FetchTalk talk;
  for (const char c : text) talk.add(std::string_view(&c, 1));
  EXPECT_EQ(talk.conclude(true, true).failure, FetchFailure::RateLimited);
  FetchTalk progress;
  progress.add("Receiving objects: 12%\rfatal: early EOF\r");
  EXPECT_EQ(progress.conclude(true, true).text, "early EOF");
}

}  // namespace fetch_talk_test
}  // namespace graspd::git
