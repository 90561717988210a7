#include "app/config/setting_value.h"

#include <gtest/gtest.h>
#include <limits>

namespace graspd::app {
namespace setting_value_test {

using core::log::Level;

TEST(SettingValue, TakesEveryUsualSpellingOfABoolean) {
  for (const char* word : {"true", "TRUE", "True", "1", "yes", "Yes", "on", "ON", " true "}) {
    const auto value = parse_bool(word);
    ASSERT_TRUE(value) << word;
    EXPECT_TRUE(*value) << word;
  }
  for (const char* word : {"false", "FALSE", "0", "no", "NO", "off", "Off"}) {
    const auto value = parse_bool(word);
    ASSERT_TRUE(value) << word;
    EXPECT_FALSE(*value) << word;
  }
}

TEST(SettingValue, RefusesOtherWordsAsBooleans) {
  for (const char* word : {"", "2", "maybe", "tru", "yes please"}) {
    const auto value = parse_bool(word);
    ASSERT_FALSE(value) << word;
    EXPECT_EQ(value.error().what, "is neither true nor false");
    EXPECT_EQ(value.error().remedy, "write true or false");
  }
}

TEST(SettingValue, SaysWhyANumberIsWrong) {
  EXPECT_EQ(*parse_number(" 42 ", 0, 100), 42U);
  for (const char* text : {"", "-1", "1.5", "10k", "0x10", "1 2", "99999999999999999999"}) {
    const auto value = parse_number(text, 0, 100);
    ASSERT_FALSE(value) << text;
    EXPECT_EQ(value.error().what, "is not a whole number") << text;
    EXPECT_EQ(value.error().remedy, "write a whole number from 0 to 100") << text;
  }
  EXPECT_EQ(parse_number("0", 1, 9).error().what, "is too small");
  EXPECT_EQ(parse_number("10", 1, 9).error().what, "is too large");
  EXPECT_EQ(parse_number("x", 1, std::numeric_limits<std::uint64_t>::max()).error().remedy,
            "write a whole number, 1 or more");
}

TEST(SettingValue, ReadsAddressAndPort) {
  const auto v4 = parse_socket_address("0.0.0.0:0");
  ASSERT_TRUE(v4);
  EXPECT_EQ(v4->ip.text(), "0.0.0.0");
  EXPECT_EQ(v4->port, 0);
  const auto v6 = parse_socket_address("[::1]:7334");
  ASSERT_TRUE(v6);
  EXPECT_EQ(v6->ip.text(), "::1");
  EXPECT_EQ(v6->port, 7334);
}

TEST(SettingValue, RefusesWhatIsNoAddressAndPort) {
  for (const char* text : {"", "127.0.0.1", "localhost:7334", "127.0.0.1:", "127.0.0.1:70000",
                           "::1:7334", "[::1]", "[127.0.0.1]:1", "[]:1", ":7334", "1.2.3.4:x"}) {
    const auto value = parse_socket_address(text);
    ASSERT_FALSE(value) << text;
    EXPECT_EQ(value.error().what, "is not an IP address and port") << text;
  }
}

TEST(SettingValue, NamesTheNetworkThatIsNone) {
  EXPECT_EQ(parse_cidrs(" 10.0.0.0/8 , fd00::/8,127.0.0.1 ,")->size(), 3U);
  EXPECT_EQ(parse_cidrs("10.0.0.0/8,ten/8").error().what, "holds \"ten/8\", which is no network");
}

TEST(SettingValue, SpellsADomainAsClientsDo) {
  EXPECT_EQ(*parse_domain("Example.ORG"), "example.org");
  EXPECT_EQ(*parse_domain("example.org/"), "example.org");
  EXPECT_EQ(*parse_domain("example.org."), "example.org");
  EXPECT_EQ(*parse_domain("example.org:443"), "example.org");
  EXPECT_EQ(*parse_domain("example.org:8080"), "example.org:8080");
  EXPECT_EQ(*parse_domain("127.0.0.1:7334"), "127.0.0.1:7334");
  EXPECT_EQ(*parse_domain("[::1]:7334"), "[::1]:7334");
  EXPECT_EQ(*parse_domain("[::1]"), "[::1]");
}

TEST(SettingValue, RefusesWhatIsNoDomain) {
  for (const char* text : {"https://example.org", "example.org/path", "a b", "exämple.org", ":80",
                           "example.org:", "example.org:99999", "a..b", "::1", "user@host", ""}) {
    EXPECT_FALSE(parse_domain(text)) << text;
  }
}

TEST(SettingValue, TakesAMountAsItStandsInUrls) {
  for (const char* text : {"/", "/grasp", "/a/b", "/a%20b", "/~x/...", "/.well-known"}) {
    ASSERT_TRUE(parse_base_path(text)) << text;
    EXPECT_EQ(*parse_base_path(text), text);
  }
}

TEST(SettingValue, SaysWhatIsWrongWithAMount) {
  const auto what = [](const char* text) { return parse_base_path(text).error().what; };
  EXPECT_EQ(what("grasp"), "does not begin with /");
  EXPECT_EQ(what("/grasp/"), "ends with /");
  EXPECT_EQ(what("/a//b"), "has an empty part (//)");
  EXPECT_EQ(what("/a/../b"), "has a part that is . or ..");
  EXPECT_EQ(what("/a/."), "has a part that is . or ..");
  EXPECT_EQ(what("/a/%2E%2e"), "has a part that is . or ..");
  for (const char* text : {"/a b", "/a?b", "/a#b", "/ä", "/%zz", "/%2"}) {
    EXPECT_EQ(what(text), "has a character that a URL path must percent-encode") << text;
  }
}

TEST(SettingValue, ReadsLevelsAndFilterExpressions) {
  const auto level = [](const char* text) { return *parse_log_level(text); };
  EXPECT_EQ(level("DEBUG"), Level::Debug);
  EXPECT_EQ(level("off"), std::nullopt);
  EXPECT_EQ(level("warn,ngit_grasp=debug"), Level::Debug);
  EXPECT_EQ(level("graspd=trace,error"), Level::Trace);
  EXPECT_EQ(level("warn,hyper=debug"), Level::Warn);
  EXPECT_EQ(level("hyper=debug"), Level::Info);
  EXPECT_EQ(parse_log_level("loud").error().what, "names no log level");
  EXPECT_EQ(parse_log_level("warn,ngit_grasp=loud").error().what, "names no log level");
}

TEST(SettingValue, NamesLevelsAsItReadsThem) {
  for (const char* name : {"trace", "debug", "info", "warn", "error", "off"}) {
    EXPECT_EQ(log_level_name(*parse_log_level(name)), name);
  }
}

TEST(SettingValue, ReadsSizesWithUnits) {
  const auto size = [](std::string_view text) {
    const auto parsed = parse_size(text, 0, std::numeric_limits<std::uint64_t>::max());
    return parsed ? *parsed : ~0ULL;
  };
  EXPECT_EQ(size("0"), 0U);
  EXPECT_EQ(size(" 1500 "), 1500U);
  EXPECT_EQ(size("1500B"), 1500U);
  for (const char* text : {"64k", "64K", "64KiB", "64 kib"})
    EXPECT_EQ(size(text), 64U << 10) << text;
  EXPECT_EQ(size("512MiB"), 512ULL << 20);
  EXPECT_EQ(size("1G"), 1ULL << 30);
  EXPECT_EQ(size("2t"), 2ULL << 40);
  EXPECT_EQ(size("16777215T"), 16777215ULL << 40);
}

TEST(SettingValue, SaysWhatIsWrongWithASize) {
  const auto complaint = [](std::string_view text, std::uint64_t min = 0,
                            std::uint64_t max = std::numeric_limits<std::uint64_t>::max()) {
    const auto parsed = parse_size(text, min, max);
    return parsed ? "" : parsed.error().what + "; " + parsed.error().remedy;
  };
  for (const char* text : {"", "G", "-1", "many", "1.5G", "1,5G"})
    EXPECT_TRUE(complaint(text).starts_with("is not a whole number of bytes; write bytes, or"))
        << text << complaint(text);
  EXPECT_TRUE(complaint("5Q").starts_with("has a unit that is not known; write bytes, or"));
  EXPECT_TRUE(complaint("5GiBs").starts_with("has a unit that is not known"));
  EXPECT_EQ(complaint("500MB"),
            "has a unit that is read in two ways; write 500M or 500MiB, which count in 1024s");
  for (const char* text : {"16777216T", "99999999999999999999", "99999999999999999999k"})
    EXPECT_TRUE(complaint(text).starts_with("is too large")) << text;
  EXPECT_EQ(complaint("2k", 0, 1024), "is too large; write at most 1k");
  EXPECT_EQ(complaint("1", 1024), "is too small; write 1k or more");
}

TEST(SettingValue, ShowsSizesAsTheyAreRead) {
  EXPECT_EQ(size_text(0), "0");
  EXPECT_EQ(size_text(1000), "1000");
  EXPECT_EQ(size_text(64 << 10), "64k");
  EXPECT_EQ(size_text(512ULL << 20), "512M");
  EXPECT_EQ(size_text(1536ULL << 20), "1536M");
  EXPECT_EQ(size_text(4ULL << 30), "4G");
  EXPECT_EQ(size_text(4096ULL << 40), "4096T");
}

}  // namespace setting_value_test
}  // namespace graspd::app
