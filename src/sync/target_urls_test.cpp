#include "sync/target_urls.h"

#include "gtest/gtest.h"

namespace graspd::sync {
namespace target_urls_test {

constexpr char kNpub[] = "npub10xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqpkge6d";

std::vector<std::string> texts(const TargetUrls& targets) {
  std::vector<std::string> out;
  for (const auto& url : targets.urls) out.push_back(url.text());
  return out;
}

TEST(TargetUrls, AreTheRelaysTagAndGraspServersAmongTheClones) {
  const auto targets = target_urls({"wss://b.example/", "WSS://a.example:443"},
                                   {"https://c.example/base/" + std::string(kNpub) + "/x.git",
                                    "https://github.com/somebody/x.git"},
                                   {});
  EXPECT_EQ(texts(targets), (std::vector<std::string>{"wss://a.example", "wss://b.example",
                                                      "wss://c.example/base"}));
  EXPECT_EQ(targets.ignored, 0u);
}

TEST(TargetUrls, LeaveOutOursAndCountWhatDoesNotParse) {
  const auto own = *nostr::RelayUrl::parse("wss://us.example");
  const auto targets = target_urls({"wss://us.example/", "ws://us.example", "http://x.example",
                                    "wss://user:pw@y.example", "wss://z.example"},
                                   {}, {own});
  EXPECT_EQ(texts(targets), std::vector<std::string>{"wss://z.example"});
  EXPECT_EQ(targets.ignored, 2u);
}

TEST(TargetUrls, StopAtAHundredPerRepository) {
  std::vector<std::string> relays;
  for (int i = 0; i < 150; ++i) relays.push_back("wss://r" + std::to_string(i) + ".example");
  const auto targets = target_urls(relays, {}, {});
  EXPECT_EQ(targets.urls.size(), kRelaysPerRepoMax);
  EXPECT_EQ(targets.ignored, 50u);
}

TEST(TargetUrls, ReadAPlainCloneAsAPlainRelayWithItsPort) {
  const auto url = relay_of_clone("http://h.example:8080/" + std::string(kNpub) + "/n.git");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->text(), "ws://h.example:8080");
  EXPECT_FALSE(relay_of_clone("https://h.example/npub1nonsense/n.git"));
}

}  // namespace target_urls_test
}  // namespace graspd::sync
