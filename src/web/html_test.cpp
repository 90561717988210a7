#include "web/html.h"

#include <gtest/gtest.h>

#include "core/hex.h"
#include "core/sha256.h"

namespace graspd::http {
namespace html_test {

std::string between(const std::string& text, std::string_view before, std::string_view after) {
  const auto start = text.find(before) + before.size();
  return text.substr(start, text.find(after, start) - start);
}

std::string hex_of_base64(std::string_view text) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bits;
  for (char c : text.substr(0, text.find('='))) {
    for (int i = 5; i >= 0; --i) bits += (kAlphabet.find(c) >> i & 1) != 0 ? '1' : '0';
  }
  std::string hex;
  for (std::size_t i = 0; i + 4 <= bits.size() && hex.size() < 64; i += 4) {
    hex += "0123456789abcdef"[std::stoi(bits.substr(i, 4), nullptr, 2)];
  }
  return hex;
}

TEST(Html, EscapesWhatMeansSomethingToABrowser) {  // R1
  EXPECT_EQ(escape("<a href=\"x\" title='y'>&</a>"),
            "&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;&lt;/a&gt;");
  EXPECT_EQ(escape("plain ünïcode\n"), "plain ünïcode\n");
  EXPECT_EQ(escape("&amp;"), "&amp;amp;");
  EXPECT_EQ(escape(""), "");
}

TEST(Html, FramesABodyUnderAnEscapedTitle) {  // R1
  const std::string document = page("a <b>", "<h1>x {}</h1>");
  EXPECT_TRUE(document.starts_with("<!doctype html>"));
  EXPECT_NE(document.find("<title>a &lt;b&gt;</title>"), std::string::npos);
  EXPECT_NE(document.find("<main>\n<h1>x {}</h1>\n</main>"), std::string::npos);
}

TEST(Html, LinksAnIconWhereThereIsOne) {
  EXPECT_EQ(page("t", "b").find("<link"), std::string::npos);
  EXPECT_NE(page("t", "b", "/x/icon.png").find("<link rel=\"icon\" href=\"/x/icon.png\">"),
            std::string::npos);
}

TEST(Html, AllowsItsOwnStyleSheetAndNoScripts) {  // R2
  const Response response = page_response(404, "t", "b");
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(response.headers.get("Content-Type"), "text/html; charset=utf-8");
  const std::string policy(response.headers.get("Content-Security-Policy").value_or(""));
  EXPECT_TRUE(policy.starts_with("default-src 'none'; style-src 'sha256-"));
  const std::string hash = between(policy, "'sha256-", "'");
  EXPECT_EQ(hash.size(), 44u);
  EXPECT_EQ(hex_of_base64(hash),
            core::encode_hex(core::sha256(between(response.body, "<style>", "</style>"))));
  EXPECT_EQ(policy.find("script-src"), std::string::npos);
  EXPECT_EQ(policy.find("unsafe"), std::string::npos);
}

TEST(Html, AllowsAScriptOfItsOwnByItsVeryText) {  // R2
  const Response response = page_response(200, "t", "b", "", {"p{}", "run()", "/x/"});
  const std::string policy(*response.headers.get("Content-Security-Policy"));
  EXPECT_NE(policy.find("script-src 'sha256-"), std::string::npos);
  EXPECT_NE(policy.find("connect-src 'self'"), std::string::npos);
  EXPECT_EQ(policy.find("unsafe"), std::string::npos);
  EXPECT_NE(response.body.find("<script data-base=\"/x/\">run()</script>"), std::string::npos);
  EXPECT_NE(response.body.find("<style>p{}</style>"), std::string::npos);
}

}  // namespace html_test
}  // namespace graspd::http
