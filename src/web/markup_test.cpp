#include "web/markup.h"

#include <gtest/gtest.h>

#include "nostr/nip19.h"

namespace graspd::web {
namespace markup_test {

TEST(Markup, LinksOnlyToTheWeb) {  // R1, R2
  EXPECT_EQ(link_if_web("https://a.example/?x=1&y=2"),
            "<a href=\"https://a.example/?x=1&amp;y=2\" rel=\"nofollow noopener\">"
            "<bdi>https://a.example/?x=1&amp;y=2</bdi></a>");
  EXPECT_TRUE(link_if_web("http://a.example").starts_with("<a "));
  for (const char* text :
       {"javascript:alert(1)", "javascript://a.example/%0aalert(1)", "data:text/html,x",
        "https:a.example", "//a.example", "a.example", " https://a.example", "https://", "",
        "https://a.example@b.example", "ftp://a.example", "https://a.example\\@b"})
    EXPECT_EQ(link_if_web(text).find("<a "), std::string::npos) << text;
}

TEST(Markup, KeepsAnAddressInsideItsAttribute) {
  const std::string made = link_if_web("https://a.example/\"onmouseover=\"alert(1)");
  EXPECT_EQ(made.find("\"onmouseover"), std::string::npos) << made;
}

TEST(Markup, NamesAPersonShortAndInFull) {
  const std::string npub = nostr::nip19::npub(nostr::PublicKey());
  const std::string made = person(nostr::PublicKey());
  EXPECT_NE(made.find("title=\"" + npub + "\""), std::string::npos);
  EXPECT_NE(made.find("href=\"https://gitworkshop.dev/" + npub + "\""), std::string::npos);
  EXPECT_EQ(made.find("<code>" + npub), std::string::npos);
}

TEST(Markup, ListsSoManyAndCountsTheRest) {  // R3
  const auto line = [](int number) { return std::to_string(number); };
  std::vector<int> things(kListMax, 7);
  EXPECT_EQ(list(things, line).find("more"), std::string::npos);
  things.resize(kListMax + 3, 8);
  const std::string made = list(things, line);
  EXPECT_NE(made.find("<li>and 3 more</li>"), std::string::npos);
  EXPECT_EQ(made.find("<li>8</li>"), std::string::npos);
  EXPECT_EQ(section("Nothing", std::vector<int>(), line), "");
}

}  // namespace markup_test
}  // namespace graspd::web
