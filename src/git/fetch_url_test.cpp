#include "git/fetch_url.h"

#include <gtest/gtest.h>

namespace graspd::git {
namespace fetch_url_test {

std::string text_of(std::string_view text) {
  const auto url = FetchUrl::parse(text);
  return url ? url->text() : "none";
}

TEST(FetchUrls, R1_AreHttpWithAHost) {
  EXPECT_EQ(text_of("https://git.example/npub1x/a.git"), "https://git.example/npub1x/a.git");
  EXPECT_EQ(text_of("http://git.example:8080/a"), "http://git.example:8080/a");
  EXPECT_EQ(text_of("https://git.example/"), "https://git.example");
  EXPECT_EQ(text_of("http://git.example:8080"), "http://git.example:8080");
  for (const char* bad : {"", "git.example/a.git", "https:///a.git", "ssh://git.example/a.git",
                          "git://git.example/a.git", "file:///etc", "ftp://x/a", "ext::sh -c id",
                          "nostr://npub1x/a", "git@git.example:a.git", "wss://git.example/a",
                          "http://git.example:0/a", "http://git.example:99999/a"})
    EXPECT_FALSE(FetchUrl::parse(bad)) << bad;
}

TEST(FetchUrls, R1_CarryNothingElse) {
  for (const char* bad :
       {"https://user@git.example/a", "https://user:secret@git.example/a",
        "https://git.example/a?x=1", "https://git.example/a#x", "https://git.example/a?",
        "https://git.example\\@127.0.0.1/a", "https://git.example/a\nb", "https://git.example/a\r",
        "https://git exam/a", "--upload-pack=id", "-chttp.proxy=x", "https://-oX/..\x01"})
    EXPECT_FALSE(FetchUrl::parse(bad)) << bad;
}

TEST(FetchUrls, R2_HaveOneSpelling) {
  EXPECT_EQ(text_of("HTTPS://Git.Example.:443/A.git//"), "https://git.example/A.git");
  EXPECT_EQ(text_of("http://[2001:DB8:0::1]:80/a"), "http://[2001:db8::1]/a");
  EXPECT_EQ(text_of("http://[::ffff:127.0.0.1]:81/a"), "http://127.0.0.1:81/a");
  EXPECT_EQ(text_of("https://git.example/my repo%20\"ü\".git"),
            "https://git.example/my%20repo%20%22%C3%BC%22.git");
  for (const char* odd :
       {"http://0x7f000001/a", "http://2130706433/a", "http://0177.0.0.1/a", "http://127.1/a"})
    EXPECT_FALSE(FetchUrl::parse(odd)) << odd;
}

TEST(FetchUrls, KnowWhomTheyName) {
  const auto url = FetchUrl::parse("http://[2001:db8::1]/a");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->host(), "2001:db8::1");
  EXPECT_EQ(url->port(), 80);
  EXPECT_FALSE(url->is_tls());
  EXPECT_EQ(FetchUrl::parse("https://git.example/a")->port(), 443);
  EXPECT_EQ(*FetchUrl::parse("https://git.example/a/"), *FetchUrl::parse("https://GIT.example/a"));
}

}  // namespace fetch_url_test
}  // namespace graspd::git
