#include "serve/fetch/verify_request.h"

#include <gtest/gtest.h>

#include "grasp/policy_testing.h"
#include "nostr/signature.h"
#include "relay/http_auth.h"

namespace graspd::serve {
namespace verify_request_test {

using grasp::testing::coordinate;

constexpr core::UnixSeconds kNow = 1'700'000'000;
constexpr std::string_view kUrl = "https://relay.example/api/verify";

nostr::Keypair keypair(std::uint8_t number) {
  nostr::SecretKey::Bytes bytes{};
  bytes[31] = number;
  return *nostr::Keypair::from(nostr::SecretKey(bytes));
}

http::Request request(const std::string& body, std::uint8_t signer = 1) {
  const auto draft = relay::http_auth_draft("POST", kUrl, body);
  nostr::Event event;
  event.kind = draft.kind;
  event.tags = draft.tags;
  event.created_at = kNow;
  keypair(signer).sign(event, {});
  http::Request made;
  made.method = http::Method::Post;
  made.body = body;
  made.headers.add("Authorization", relay::http_auth_header(event));
  return made;
}

class VerifyRequests : public ::testing::Test {
 protected:
  http::Response answer(const http::Request& asked) {
    return verify_response({keypair(1).public_key(),
                            {*relay::relay_url_of_http(kUrl)},
                            [&](const auto& wanted) -> std::optional<std::uint64_t> {
                              ++questions;
                              if (wanted && *wanted != coordinate(1)) return std::nullopt;
                              return 5;
                            },
                            [&](std::uint64_t, std::uint64_t from, const auto&) {
                              cursor = from;
                              return answers;
                            }},
                           asked, kNow);
  }
  int questions = 0;
  std::uint64_t cursor = 0;
  grasp::VerificationAnswers answers{{}, 5, 1};
};

TEST_F(VerifyRequests, AskOnceAndThenForAnswers) {  // R2, R3
  EXPECT_EQ(answer(request("")).body, "number 5\ncursor 5\nwaiting 1\n");
  EXPECT_EQ(cursor, 5U);
  answers = {
      {{coordinate(1), true, ""}, {coordinate(2), false, ""}, {coordinate(3), true, "a\nb"}}, 9, 0};
  EXPECT_EQ(answer(request("number 5\ncursor 7\n")).body,
            "number 5\ncursor 9\nwaiting 0\nok " + coordinate(1).url_path() + "\nnothing " +
                coordinate(2).url_path() + "\nbroken " + coordinate(3).url_path() + " a b\n");
  EXPECT_EQ(cursor, 7U);
  EXPECT_EQ(questions, 1);
}

TEST_F(VerifyRequests, NameARepositoryOrNone) {  // R2
  EXPECT_EQ(answer(request("repository " + coordinate(1).url_path() + "\n")).status, 200);
  EXPECT_EQ(answer(request("repository " + coordinate(2).url_path() + "\n")).status, 404);
  for (const char* bad : {"repository \n", "repository /x\n", "repository npub1/x.git\n"})
    EXPECT_EQ(answer(request(bad)).status, 400) << bad;
}

TEST_F(VerifyRequests, ObeyNobodyElse) {  // R1
  EXPECT_EQ(answer(request("", 2)).status, 403);
  EXPECT_EQ(answer({}).status, 401);
  EXPECT_EQ(questions, 0);
}

}  // namespace verify_request_test
}  // namespace graspd::serve
