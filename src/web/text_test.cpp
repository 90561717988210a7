#include "web/text.h"

#include <gtest/gtest.h>

#include "nostr/nip19.h"

namespace graspd::web {
namespace text_test {

TEST(Text, CutsBetweenCharacters) {  // R1
  EXPECT_EQ(tidy("plain", 5), "plain");
  EXPECT_EQ(tidy("plainer", 5), "plain…");
  EXPECT_EQ(tidy("äöü", 3), "ä…");
  EXPECT_EQ(tidy("🚀🚀", 7), "🚀…");
  EXPECT_EQ(tidy("🚀", 3), "…");
  EXPECT_EQ(tidy(std::string(9, '\x80'), 4), "…");  // not UTF-8: a ref may be that
}

TEST(Text, DropsWhatTurnsTheDirectionOfItsNeighbours) {  // R2
  EXPECT_EQ(tidy("a\u202Egpj.exe\u202C", 100), "agpj.exe");
  EXPECT_EQ(tidy("\u2066x\u2069\u202A\u202B\u202D", 100), "x");
  EXPECT_EQ(tidy("شعار — ‘ok’", 100), "شعار — ‘ok’");
  EXPECT_EQ(tidy("\xe2\x80", 100), "\xe2\x80");  // the beginning of one is none
}

TEST(Text, DropsControlCharacters) {  // R2
  EXPECT_EQ(tidy(std::string("a\0b\x1b[31mc\x7f\n\td", 13), 100), "ab[31mc\n\td");
}

TEST(Text, ShowsMarkupAsText) {  // R3
  EXPECT_EQ(shown("\"><script>alert(1)</script>"),
            "<bdi>&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;</bdi>");
  EXPECT_EQ(shown("&&&&", 2), "<bdi>&amp;&amp;…</bdi>");
}

TEST(Text, WritesDatesThatACalendarHas) {
  EXPECT_EQ(date(0), "1970-01-01");
  EXPECT_EQ(date(1'709'164'800), "2024-02-29");
  EXPECT_EQ(date(253'402'300'799), "9999-12-31");
  EXPECT_EQ(date(253'402'300'800), "");
  EXPECT_EQ(date(-1), "");
}

TEST(Text, ShortensKeys) {
  const nostr::PublicKey key;
  const std::string npub = nostr::nip19::npub(key);
  EXPECT_EQ(short_npub(key), npub.substr(0, 12) + "…" + npub.substr(57));
}

}  // namespace text_test
}  // namespace graspd::web
