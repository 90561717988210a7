#include "relay/http_auth.h"

#include <gtest/gtest.h>

#include "core/base64.h"
#include "nostr/serialize.h"
#include "nostr/signature.h"

namespace graspd::relay {
namespace http_auth_test {

constexpr core::UnixSeconds kNow = 1'700'000'000;
constexpr std::string_view kUrl = "https://relay.example/grasp/api/sync/retry";
constexpr std::string_view kBody = "wss://peer.example";

nostr::Keypair keypair() {
  nostr::SecretKey::Bytes bytes{};
  bytes[31] = 7;
  return *nostr::Keypair::from(nostr::SecretKey(bytes));
}

nostr::Event signed_draft(const nostr::Draft& draft, core::UnixSeconds created_at = kNow) {
  nostr::Event event;
  event.kind = draft.kind;
  event.tags = draft.tags;
  event.created_at = created_at;
  keypair().sign(event, {});
  return event;
}

HttpCall call(std::string_view body = kBody) {
  return {"POST", {*relay_url_of_http(kUrl), *relay_url_of_http("http://127.0.0.1:7334/x")}, body};
}

std::string verdict(const nostr::Event& event, std::string_view body = kBody) {
  const auto author = http_author(http_auth_header(event), call(body), kNow);
  return author ? "" : author.error();
}

TEST(HttpAuth, KnowsTheAuthorOfASignedRequest) {
  const auto event = signed_draft(http_auth_draft("POST", kUrl, kBody));
  const auto author = http_author(http_auth_header(event), call(), kNow);
  ASSERT_TRUE(author) << author.error();
  EXPECT_EQ(*author, keypair().public_key());
}

TEST(HttpAuth, TakesEachOfItsAddressesWithEitherScheme) {  // R1
  for (const char* url : {"http://relay.example/grasp/api/sync/retry", "http://127.0.0.1:7334/x"})
    EXPECT_EQ(verdict(signed_draft(http_auth_draft("POST", url, kBody))), "") << url;
}

TEST(HttpAuth, IsForOneAddressMethodAndMinute) {  // R1
  const auto draft = http_auth_draft("POST", kUrl, kBody);
  EXPECT_EQ(verdict(signed_draft(draft, kNow - 60)), "");
  EXPECT_NE(verdict(signed_draft(draft, kNow - 61)), "");
  EXPECT_NE(verdict(signed_draft(draft, kNow + 61)), "");
  EXPECT_NE(verdict(signed_draft(http_auth_draft("GET", kUrl, kBody))), "");
  for (const char* url :
       {"https://relay.example/grasp/api/sync", "https://evil.example/x", "", "x"})
    EXPECT_NE(verdict(signed_draft(http_auth_draft("POST", url, kBody))), "") << url;
  auto other_kind = draft;
  other_kind.kind = {22242};
  EXPECT_NE(verdict(signed_draft(other_kind)), "");
}

TEST(HttpAuth, ProvesTheBody) {  // R2
  EXPECT_NE(verdict(signed_draft(http_auth_draft("POST", kUrl, "wss://other.example"))), "");
  EXPECT_NE(verdict(signed_draft(http_auth_draft("POST", kUrl, ""))), "");
  EXPECT_EQ(verdict(signed_draft(http_auth_draft("POST", kUrl, "")), ""), "");
}

TEST(HttpAuth, RefusesWhatIsForged) {  // R3
  auto event = signed_draft(http_auth_draft("POST", kUrl, kBody));
  event.content = "changed";
  EXPECT_EQ(verdict(event), "the event id does not match its content");
  event.id = nostr::compute_id(event);
  EXPECT_EQ(verdict(event), "the signature is wrong");
}

TEST(HttpAuth, RefusesHeadersThatHoldNoEvent) {
  EXPECT_FALSE(http_author(std::nullopt, call(), kNow));
  for (const std::string& header :
       {std::string(), std::string("Basic YTpi"), std::string("Nostr"), std::string("Nostr %%%"),
        "Nostr " + core::encode_base64("{}"), "Nostr " + std::string(100'000, 'A')})
    EXPECT_FALSE(http_author(header, call(), kNow)) << header.substr(0, 40);
}

TEST(HttpAuth, TranslatesAddresses) {
  EXPECT_EQ(http_url_of(*relay_url_of_http("https://a.example/b")), "https://a.example/b");
  EXPECT_EQ(http_url_of(*nostr::RelayUrl::parse("ws://127.0.0.1:1")), "http://127.0.0.1:1");
  EXPECT_FALSE(relay_url_of_http("httpx://a"));
  EXPECT_FALSE(relay_url_of_http("wss://a.example"));
}

}  // namespace http_auth_test
}  // namespace graspd::relay
