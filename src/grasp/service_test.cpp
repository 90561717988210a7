#include "grasp/service.h"

#include <gtest/gtest.h>

#include "nostr/nip19.h"
#include "store/testing/events.h"

namespace graspd::grasp {
namespace service_test {

using store::testing::author;

const std::string kNpub = nostr::nip19::npub(author(1));
const std::string kHex = author(1).hex();
const std::string kOtherNpub = nostr::nip19::npub(author(2));

Coordinate repository(std::string_view identifier = "x") {
  return {author(1), *Identifier::parse(identifier)};
}
Service service(std::string_view domain, std::string_view base_path = "/") {
  return *Service::parse(domain, base_path);
}

TEST(Service, IsAHostMaybeAPortMaybeAMount) {
  EXPECT_EQ(service("Us.Example"), (Service{"us.example", {}, "", true}));
  EXPECT_EQ(service("us.example:8080/", "/grasp"), (Service{"us.example", 8080, "/grasp", true}));
  EXPECT_EQ(service("[::1]:3000"), (Service{"::1", 3000, "", true}));
  for (const char* domain :
       {"", "https://us.example", "us.example/x", "a@b", "us.example?x", "a b"}) {
    EXPECT_FALSE(Service::parse(domain)) << domain;
  }
  EXPECT_FALSE(Service::parse("us.example", "grasp"));
  EXPECT_FALSE(Service::parse("us.example", "/../x"));
}

TEST(Service, IsNamedByARelayUrl) {  // R2, R3, R4
  const auto us = service("us.example");
  for (const char* url :
       {"wss://us.example", "ws://us.example/", "wss://US.example:443", "us.example",
        "ws://us.example:80/", "us.example:443/", "WSS://us.example.", "https://us.example"}) {
    EXPECT_TRUE(names_relay(url, us)) << url;
  }
  for (const char* url : {"",
                          "wss://us.example:8080",
                          "wss://us.example:80",
                          "ws://us.example:443",
                          "wss://us.example/x",
                          "wss://us.example//",
                          "wss://us.example?x",
                          "wss://us.example/#x",
                          "ssh://us.example",
                          "wss://evil.example/?x=us.example",
                          "wss://us.example.evil.example",
                          "wss://evilus.example",
                          "wss://us.example@evil.example",
                          "wss://evil.example@us.example",
                          "wss://example",
                          "wss://evil.example#us.example",
                          "wss://evil.example/us.example",
                          "wss://us.example\\x",
                          "evil.example/wss://us.example",
                          " wss://us.example",
                          "wss://us.example%2eevil.example"}) {
    EXPECT_FALSE(names_relay(url, us)) << url;
  }
}

TEST(Service, WithAPortIsNamedAtThatPortOnly) {  // R2
  const auto us = service("us.example:8080");
  EXPECT_TRUE(names_relay("ws://us.example:8080", us));
  EXPECT_TRUE(names_relay("wss://us.example:8080", us));
  EXPECT_TRUE(names_relay("us.example:8080", us));
  EXPECT_FALSE(names_relay("ws://us.example", us));
  EXPECT_FALSE(names_relay("ws://us.example:80", us));
  EXPECT_TRUE(names_relay("wss://us.example", service("us.example:443")));
  EXPECT_FALSE(names_relay("ws://us.example", service("us.example:443")));
}

TEST(Service, IsNamedByACloneUrlOfTheRepository) {  // R4
  const auto us = service("us.example");
  for (const std::string& url :
       {"https://us.example/" + kNpub + "/x.git", "http://us.example/" + kNpub + "/x.git/",
        "https://us.example:443/" + kHex + "/x.git", "us.example/" + kNpub + "/x.git",
        "https://us.example/" + kNpub + "/%78.git"}) {
    EXPECT_TRUE(names_clone(url, us, repository())) << url;
  }
  for (const std::string& url : {std::string("https://us.example"),
                                 std::string("https://us.example/x.git"),
                                 "https://us.example/" + kOtherNpub + "/x.git",
                                 "https://us.example/" + kNpub + "/y.git",
                                 "https://us.example/" + kNpub + "/x",
                                 "https://us.example/" + kNpub + "/x.git//",
                                 "https://us.example//" + kNpub + "/x.git",
                                 "https://us.example/g/" + kNpub + "/x.git",
                                 "https://us.example/" + kNpub + "/a/x.git",
                                 "https://us.example/" + kNpub + "/x.git?y",
                                 "https://us.example/" + kNpub + "/x.git#y",
                                 "wss://us.example/" + kNpub + "/x.git",
                                 "ssh://us.example/" + kNpub + "/x.git",
                                 "git@us.example:" + kNpub + "/x.git",
                                 "https://us.example:8443/" + kNpub + "/x.git",
                                 "https://evil.example/" + kNpub + "/x.git?us.example",
                                 "https://us.example.evil.example/" + kNpub + "/x.git",
                                 "https://us.example@evil.example/" + kNpub + "/x.git",
                                 "https://user@us.example/" + kNpub + "/x.git",
                                 "https://evil.example/https://us.example/" + kNpub + "/x.git",
                                 "https://us.example/y/../" + kNpub + "/x.git",
                                 "https://us.example/" + kNpub + "/%zz.git"}) {
    EXPECT_FALSE(names_clone(url, us, repository())) << url;
  }
}

TEST(Service, ReadsIdentifiersEncodedOrNot) {  // R4
  const auto us = service("us.example");
  const auto odd = repository("my repo:🚀");
  EXPECT_TRUE(names_clone("https://us.example" + odd.url_path(), us, odd));
  EXPECT_TRUE(names_clone("https://us.example/" + odd.path(), us, odd));
  EXPECT_FALSE(names_clone("https://us.example/" + kNpub + "/my+repo.git", us, odd));
}

TEST(Service, UnderAMountIsNamedThereOnly) {  // R4
  const auto us = service("us.example", "/grasp");
  EXPECT_TRUE(names_relay("wss://us.example/grasp", us));
  EXPECT_TRUE(names_relay("wss://us.example/grasp/", us));
  EXPECT_TRUE(names_clone("https://us.example/grasp/" + kNpub + "/x.git", us, repository()));
  EXPECT_FALSE(names_relay("wss://us.example", us));
  EXPECT_FALSE(names_relay("wss://us.example/graspx", us));
  EXPECT_FALSE(names_relay("wss://us.example/grasp/x", us));
  EXPECT_FALSE(names_clone("https://us.example/" + kNpub + "/x.git", us, repository()));
  EXPECT_FALSE(names_clone("https://us.example/graspx/" + kNpub + "/x.git", us, repository()));
}

TEST(Service, MayBeLenientAboutTheClonePath) {  // R5
  auto us = service("us.example", "/grasp");
  us.clone_path_must_name_repository = false;
  EXPECT_TRUE(names_clone("https://us.example/grasp/test.git", us, repository()));
  EXPECT_TRUE(names_clone("https://us.example/grasp", us, repository()));
  EXPECT_FALSE(names_clone("https://us.example/graspx/test.git", us, repository()));
  EXPECT_FALSE(names_clone("https://us.example/grasp/../test.git", us, repository()));
  EXPECT_FALSE(names_clone("https://us.example/grasp/%2e%2E/test.git", us, repository()));
  EXPECT_FALSE(names_clone("https://evil.example/grasp/test.git", us, repository()));
}

TEST(Service, IsRecognisedWhateverOfItIsNamed) {
  const auto us = service("us.example", "/grasp");
  EXPECT_TRUE(names_service("https://us.example/grasp/a/b?c#d", us));
  EXPECT_TRUE(names_service("wss://us.example/grasp", us));
  EXPECT_FALSE(names_service("https://us.example/", us));
  EXPECT_FALSE(names_service("https://us.example.evil.example/grasp", us));
  EXPECT_FALSE(names_service("https://us.example/grasp/../x", us));
}

TEST(Service, MustBeInBothLists) {  // R6
  const auto us = service("us.example");
  const std::string clone = "https://us.example/" + kNpub + "/x.git", relay = "wss://us.example";
  const std::string elsewhere = "https://other.example/" + kNpub + "/x.git";
  const auto lists = [&](nostr::Tags tags) {
    return lists_service(
        *parse_announcement(store::testing::event(1, 30617, 1, std::move(tags))->event), us);
  };
  EXPECT_TRUE(lists({{"d", "x"}, {"clone", elsewhere, clone}, {"relays", "wss://a", relay}}));
  EXPECT_FALSE(lists({{"d", "x"}, {"clone", clone}}));
  EXPECT_FALSE(lists({{"d", "x"}, {"relays", relay}}));
  EXPECT_FALSE(lists({{"d", "x"}, {"clone", elsewhere}, {"relays", relay}}));
  EXPECT_FALSE(lists({{"d", "y"}, {"clone", clone}, {"relays", relay}}));
  EXPECT_FALSE(lists({{"d", "x"}}));
}

}  // namespace service_test
}  // namespace graspd::grasp
