#include "serve/sync/sync_retry.h"

#include <gtest/gtest.h>

#include "nostr/signature.h"
#include "relay/http_auth.h"

namespace graspd::serve {
namespace sync_retry_test {

constexpr core::UnixSeconds kNow = 1'700'000'000;
constexpr std::string_view kUrl = "https://relay.example/api/sync/retry";

nostr::Keypair keypair(std::uint8_t number) {
  nostr::SecretKey::Bytes bytes{};
  bytes[31] = number;
  return *nostr::Keypair::from(nostr::SecretKey(bytes));
}

http::Request request(const std::string& body, std::uint8_t signer) {
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

class SyncRetryTest : public ::testing::Test {
 protected:
  http::Response answer(const http::Request& asked) {
    return retry_response({keypair(1).public_key(),
                           {*relay::relay_url_of_http(kUrl)},
                           [&](const nostr::RelayUrl& url) {
                             tried.push_back(url.text());
                             return url.host() == "peer.example";
                           }},
                          asked, kNow);
  }
  std::vector<std::string> tried;
};

TEST_F(SyncRetryTest, DoesWhatItsOwnerWants) {
  const auto done = answer(request("wss://peer.example/", 1));
  EXPECT_EQ(done.status, 200);
  EXPECT_EQ(done.body, "done: wss://peer.example is tried now\n");
  EXPECT_EQ(tried, std::vector<std::string>{"wss://peer.example"});
}

TEST_F(SyncRetryTest, SaysWhatIsNotFollowedAndWhatIsNoRelay) {  // R2
  EXPECT_EQ(answer(request("wss://other.example", 1)).body, "not followed: wss://other.example\n");
  EXPECT_EQ(answer(request("gopher", 1)).status, 400);
}

TEST_F(SyncRetryTest, ObeysNobodyElse) {  // R1
  EXPECT_EQ(answer(request("wss://peer.example", 2)).status, 403);
  http::Request unsigned_request;
  unsigned_request.body = "wss://peer.example";
  const auto refusal = answer(unsigned_request);
  EXPECT_EQ(refusal.status, 401);
  EXPECT_EQ(refusal.headers.get("WWW-Authenticate"), "Nostr");
  auto changed = request("wss://peer.example", 1);
  changed.body = "wss://evil.example";
  EXPECT_EQ(answer(changed).status, 401);
  EXPECT_TRUE(tried.empty());
}

}  // namespace sync_retry_test
}  // namespace graspd::serve
