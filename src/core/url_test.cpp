#include "core/url.h"

#include <gtest/gtest.h>

namespace graspd::core {
namespace url_test {

TEST(Url, IsReadIntoItsParts) {
  const auto url = Url::parse("HTTPS://Git.Example.:8443/a/B%20c.git?x=1#y");
  ASSERT_TRUE(url);
  EXPECT_EQ(*url, (Url{"https", "git.example", 8443, "/a/B%20c.git", "x=1", "y"}));
}

TEST(Url, MayLackItsScheme) {  // R1
  const auto url = Url::parse("localhost:3000/a://b");
  ASSERT_TRUE(url);
  EXPECT_EQ(*url, (Url{"", "localhost", 3000, "/a://b", "", ""}));
  EXPECT_FALSE(url->effective_port() == 443);
}

TEST(Url, KnowsTheDefaultPortsOfTheWeb) {
  const std::vector<std::pair<std::string, std::optional<std::uint16_t>>> cases = {
      {"http://a", 80},    {"ws://a", 80},           {"https://a", 443},        {"wss://a", 443},
      {"https://a:", 443}, {"https://a:8443", 8443}, {"git://a", std::nullopt}, {"a", std::nullopt},
  };
  for (const auto& [text, port] : cases) {
    const auto url = Url::parse(text);
    ASSERT_TRUE(url) << text;
    EXPECT_EQ(url->effective_port(), port) << text;
  }
}

TEST(Url, HasOneSpellingForAHost) {  // R2
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"http://EXAMPLE.com", "example.com"},
      {"http://example.com.", "example.com"},
      {"http://[::1]:80/", "::1"},
      {"http://[0:0:0:0:0:0:0:1]", "::1"},
      {"http://[::ffff:127.0.0.1]", "127.0.0.1"},
      {"http://127.0.0.1:9", "127.0.0.1"},
  };
  for (const auto& [text, host] : cases) {
    const auto url = Url::parse(text);
    ASSERT_TRUE(url) << text;
    EXPECT_EQ(url->host, host);
  }
}

TEST(Url, IsRefusedWhenItsHostIsDoubtful) {  // R2, R3, R4
  for (const std::string& text : {std::string(),
                                  std::string("http://"),
                                  std::string("http:///x"),
                                  std::string("//a/b"),
                                  std::string("http://user@a/"),
                                  std::string("http://user:pw@a/"),
                                  std::string("git@a:b"),
                                  std::string("http://a b/"),
                                  std::string(" http://a"),
                                  std::string("http://a\\b"),
                                  std::string("http://a/\n"),
                                  std::string("http://a/x\\y"),
                                  std::string("http://a..b"),
                                  std::string("http://.a"),
                                  std::string("http://a.."),
                                  std::string("http://127.1"),
                                  std::string("http://0x7f000001"),
                                  std::string("http://2130706433"),
                                  std::string("http://[::1"),
                                  std::string("http://[a]"),
                                  std::string("http://[127.0.0.1]"),
                                  std::string("http://[::1]x"),
                                  std::string("http://\xc3\xa4.de"),
                                  std::string("http://%61"),
                                  std::string("http://a:0"),
                                  std::string("http://a:65536"),
                                  std::string("http://a:+1"),
                                  std::string("http://a:1x"),
                                  "http://" + std::string(254, 'a'),
                                  "http://a/" + std::string(2048, 'a')}) {
    EXPECT_FALSE(Url::parse(text)) << text;
  }
}

TEST(Url, KeepsSpacesAndUnicodeOfAPath) {  // R3
  const auto url = Url::parse("https://a/my repo \xf0\x9f\x9a\x80.git");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->path, "/my repo \xf0\x9f\x9a\x80.git");
}

}  // namespace url_test
}  // namespace graspd::core
