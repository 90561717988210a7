#include "nostr/relay_url.h"

#include <gtest/gtest.h>

#include "core/rng.h"

namespace graspd::nostr {
namespace relay_url_test {

std::string normal(std::string_view text) {
  const auto url = RelayUrl::parse(text);
  return url ? url->text() : "refused";
}

bool same(std::string_view a, std::string_view b) {
  return names_same_relay(*RelayUrl::parse(a), *RelayUrl::parse(b));
}

TEST(RelayUrl, IsTakenApart) {
  const auto url = RelayUrl::parse("wss://Relay.Example.com:8443/a/b?c=d");
  ASSERT_TRUE(url);
  EXPECT_TRUE(url->is_secure());
  EXPECT_EQ(url->host(), "relay.example.com");
  EXPECT_EQ(url->port(), 8443);
  EXPECT_EQ(url->path(), "/a/b?c=d");
  EXPECT_EQ(url->text(), "wss://relay.example.com:8443/a/b?c=d");
}

TEST(RelayUrl, HasTheDefaultPortOfItsSchemeAndAnEmptyRoot) {  // R1
  EXPECT_EQ(RelayUrl::parse("wss://h")->port(), 443);
  EXPECT_EQ(RelayUrl::parse("ws://h")->port(), 80);
  EXPECT_EQ(RelayUrl::parse("ws://h/")->path(), "");
  EXPECT_FALSE(RelayUrl::parse("ws://h")->is_secure());
}

TEST(RelayUrl, HasOneSpelling) {  // R1, R4
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"WSS://H.example/", "wss://h.example"},
      {"wss://h.example:443", "wss://h.example"},
      {"wss://h.example:0443/", "wss://h.example"},
      {"wss://h.example:", "wss://h.example"},
      {"wss://h.example./x", "wss://h.example/x"},
      {"ws://h.example:80/", "ws://h.example"},
      {"ws://h.example:443", "ws://h.example:443"},
      {"wss://h.example/Path", "wss://h.example/Path"},
      {"wss://h.example/path/", "wss://h.example/path/"},
      {"wss://h.example?q", "wss://h.example/?q"},
      {"wss://h.example/?q", "wss://h.example/?q"},
      {"wss://h.example/?", "wss://h.example"},
      {"wss://h.example?", "wss://h.example"},
      {"wss://h.example/%7euser/%c3%a9", "wss://h.example/~user/%C3%A9"},
      {"wss://h.example/a?b=/../c", "wss://h.example/a?b=/../c"},
      {"wss://xn--bcher-kva.example", "wss://xn--bcher-kva.example"},
      {"wss://b%C3%BCcher.example", "wss://b%c3%bccher.example"},
      {"wss://my_relay.local:7777", "wss://my_relay.local:7777"},
  };
  for (const auto& [given, expected] : cases) EXPECT_EQ(normal(given), expected) << given;
}

TEST(RelayUrl, SpellsAddressesInOneWay) {  // R3
  EXPECT_EQ(normal("ws://127.0.0.1:7334"), "ws://127.0.0.1:7334");
  EXPECT_EQ(normal("ws://[::1]:7334/x"), "ws://[::1]:7334/x");
  EXPECT_EQ(normal("wss://[2001:DB8:0::1]"), "wss://[2001:db8::1]");
  EXPECT_EQ(RelayUrl::parse("wss://[2001:db8::1]")->host(), "2001:db8::1");
  EXPECT_EQ(normal("ws://[::ffff:127.0.0.1]"), "ws://127.0.0.1");
  EXPECT_EQ(normal("ws://127.0.0.1."), "ws://127.0.0.1");
  for (std::string_view text :
       {"ws://127.1", "ws://0x7f.0.0.1", "ws://0x7f000001", "ws://0X7F.1", "ws://2130706433",
        "ws://0177.0.0.1", "ws://127.0.0.256", "ws://1.2.3.4.5", "ws://example.1", "ws://a.0x",
        "ws://[127.0.0.1]", "ws://[fe80::1%25eth0]", "ws://[::1", "ws://::1", "ws://[]", "ws://[",
        "ws://[::1]x", "ws://[::1]:x", "ws://a[::1]"}) {
    EXPECT_EQ(normal(text), "refused") << text;
  }
}

TEST(RelayUrl, IsRefusedWhenItsSchemeCredentialsOrCharactersAreWrong) {  // R1, R2, R4
  for (std::string_view text : {"",
                                "wss",
                                "wss:",
                                "wss:/",
                                "wss://",
                                "wss:///",
                                "wss:///path",
                                "wss://:443",
                                "wss://?q",
                                "://h",
                                "h.example",
                                "//h.example",
                                "http://h.example",
                                "https://h.example",
                                "wsss://h",
                                "wss:h.example",
                                "wss:/h.example",
                                "wss:\\\\h",
                                "wss://h\\x",
                                "wss://user@h",
                                "wss://user:pass@h",
                                "wss://@h",
                                "wss://h#",
                                "wss://h/#top",
                                " wss://h",
                                "wss://h ",
                                "wss://h/a b",
                                "wss://h\t",
                                "wss://h/\r\nHost:x",
                                "wss://h/\x7f",
                                "wss://b\xc3\xbc.example",
                                "wss://h/\xc3\xbc"})
    EXPECT_EQ(normal(text), "refused") << text;
  EXPECT_EQ(normal(std::string_view("wss://h\0x", 9)), "refused");
}

TEST(RelayUrl, IsRefusedWhenItsHostPortOrPathIsWrong) {  // R1, R2, R4
  for (std::string_view text :
       {"wss://.",          "wss://..",      "wss://.h",      "wss://a..b",     "wss://h..",
        "wss://a%2eb",      "wss://h%2f",    "wss://h%",      "wss://h%4",      "wss://a,b",
        "wss://a*b",        "wss://h:0",     "wss://h:65536", "wss://h:-1",     "wss://h:+1",
        "wss://h:1x",       "wss://h:80:80", "wss://h/%",     "wss://h/%4",     "wss://h/%zz",
        "wss://h/%+1",      "wss://h/.",     "wss://h/..",    "wss://h/a/../b", "wss://h/a/./b",
        "wss://h/%2e%2E/b", "wss://h/<x>",   "wss://h/\"",    "wss://h/{x}"})
    EXPECT_EQ(normal(text), "refused") << text;
}

TEST(RelayUrl, IsBounded) {  // R2
  const std::string host = std::string(249, 'a') + ".com";
  EXPECT_EQ(normal("wss://" + host), "wss://" + host);
  EXPECT_EQ(normal("wss://a" + host), "refused");
  const std::string longest = "wss://h/" + std::string(2040, 'x');
  EXPECT_EQ(normal(longest), longest);
  EXPECT_EQ(normal(longest + "x"), "refused");
}

TEST(RelayUrl, NormalisedOnceStaysAsItIs) {
  constexpr std::uint64_t kSeed = 34;
  SCOPED_TRACE(kSeed);
  core::Rng rng(kSeed);
  const std::string_view parts[] = {"wss://", "ws://", "WS://", "h", "H.e", ".",   ":",   ":80",
                                    ":443",   "[::1]", "/",     "?", "%7e", "%2e", "%2f", "%c3",
                                    "a",      "1",     "0x",    "[", "]",   "//",  "..",  "%"};
  int accepted = 0;
  for (int i = 0; i < 100'000; ++i) {
    std::string text(parts[rng.below(3)]);
    for (auto n = rng.below(8); n > 0; --n) text += parts[rng.below(std::size(parts))];
    const auto url = RelayUrl::parse(text);
    if (!url) continue;
    ++accepted;
    ASSERT_EQ(normal(url->text()), url->text()) << text;
    ASSERT_TRUE(names_same_relay(*url, *RelayUrl::parse(url->text()))) << text;
  }
  EXPECT_GT(accepted, 1000);
}

TEST(RelayUrl, NamesTheSameRelayUnderEitherScheme) {
  EXPECT_TRUE(same("wss://h.example", "ws://H.example/"));
  EXPECT_TRUE(same("wss://h.example:443", "ws://h.example:80"));
  EXPECT_TRUE(same("wss://h.example:7777/x", "ws://h.example:7777/x"));
}

TEST(RelayUrl, NamesTheSameRelayWithASlashAtTheEnd) {
  EXPECT_TRUE(same("wss://h.example/x", "wss://h.example/x/"));
  EXPECT_TRUE(same("wss://h.example/x/y/", "wss://h.example/x/y"));
}

TEST(RelayUrl, NamesAnotherRelayByHostPortOrPath) {
  EXPECT_FALSE(same("wss://h.example", "wss://i.example"));
  EXPECT_FALSE(same("wss://h.example", "wss://h.example:444"));
  EXPECT_FALSE(same("wss://h.example", "wss://h.example/x"));
  EXPECT_FALSE(same("wss://h.example/x", "wss://h.example/x//"));
  EXPECT_FALSE(same("wss://h.example/x", "wss://h.example/x/y"));
  EXPECT_FALSE(same("wss://h.example/x", "wss://h.example/X"));
}

}  // namespace relay_url_test
}  // namespace graspd::nostr
