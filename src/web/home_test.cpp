#include "web/home.h"

#include <gtest/gtest.h>

#include "nostr/nip19.h"

namespace graspd::web {
namespace home_test {

Home home(std::string_view relay, std::string_view mount = "/") {
  return {*nostr::RelayUrl::parse(relay), *http::BasePath::parse(mount)};
}

grasp::Coordinate repository(std::string_view identifier) {
  return {nostr::PublicKey(), *grasp::Identifier::parse(identifier)};
}

const std::string kNpub = nostr::nip19::npub(nostr::PublicKey());

TEST(Home, KnowsItsAddressForBrowsersAndForOthers) {
  const Home root = home("wss://relay.example");
  EXPECT_EQ(root.start(), "/");
  EXPECT_EQ(root.icon(), "/icon.png");
  EXPECT_EQ(root.url("/icon.png"), "https://relay.example/icon.png");
  const Home mounted = home("ws://127.0.0.1:7334/grasp", "/grasp");
  EXPECT_EQ(mounted.start(), "/grasp");
  EXPECT_EQ(mounted.icon(), "/grasp/icon.png");
  EXPECT_EQ(mounted.url("/icon.png"), "http://127.0.0.1:7334/grasp/icon.png");
}

TEST(Home, NamesARepositoryToEverybody) {
  const Home at = home("wss://relay.example/grasp", "/grasp");
  const auto one = repository("my-repo");
  EXPECT_EQ(at.page_path(one), "/grasp/" + kNpub + "/my-repo.git");
  EXPECT_EQ(at.clone_url(one), "https://relay.example/grasp/" + kNpub + "/my-repo.git");
  EXPECT_EQ(at.nostr_url(one), "nostr://" + kNpub + "/relay.example%2Fgrasp/my-repo");
  EXPECT_EQ(at.gitworkshop_url(one),
            "https://gitworkshop.dev/" + kNpub + "/relay.example%2Fgrasp/my-repo");
}

TEST(Home, WritesOutASchemeThatIsNotTheUsualOne) {  // R2
  EXPECT_EQ(home("ws://127.0.0.1:7334").nostr_url(repository("x")),
            "nostr://" + kNpub + "/ws%3A%2F%2F127.0.0.1%3A7334/x");
}

TEST(Home, LeavesNothingForAShellToInterpret) {  // R1
  const auto hostile = repository("$(reboot)`id`; rm -rf ~ '\"><script> é");
  for (const auto& url :
       {home("wss://r.example").clone_url(hostile), home("wss://r.example").nostr_url(hostile)})
    EXPECT_EQ(url.find_first_of("$()`;' \"<>&|\\*?"), std::string::npos) << url;
}

}  // namespace home_test
}  // namespace graspd::web
