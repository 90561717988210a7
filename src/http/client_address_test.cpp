#include "http/client_address.h"

#include <gtest/gtest.h>

#include "core/rng.h"

namespace graspd::http {
namespace client_address_test {

using Fields = std::vector<std::pair<std::string, std::string>>;

const std::vector<core::Cidr> kTrusted = {*core::Cidr::parse("10.0.0.0/8"),
                                          *core::Cidr::parse("fd00::/8")};

std::string client(const std::string& peer, const Fields& fields,
                   const std::vector<core::Cidr>& trusted = kTrusted) {
  Headers headers;
  for (const auto& [name, value] : fields) headers.add(name, value);
  return client_address(*core::IpAddress::parse(peer), headers, trusted).text();
}

std::string forwarded_for(const std::string& list) {
  return client("10.0.0.1", {{"X-Forwarded-For", list}});
}
std::string forwarded(const std::string& list) { return client("10.0.0.1", {{"Forwarded", list}}); }

TEST(ClientAddress, IsThePeerWhenNobodyIsTrusted) {  // R1
  EXPECT_EQ(client("10.0.0.1", {{"X-Forwarded-For", "1.1.1.1"}}, {}), "10.0.0.1");
}

TEST(ClientAddress, IsThePeerWhenThatIsAStranger) {  // R1
  EXPECT_EQ(client("9.9.9.9", {{"X-Forwarded-For", "1.1.1.1"}}), "9.9.9.9");
}

TEST(ClientAddress, IsThePeerWithoutHeaders) { EXPECT_EQ(client("10.0.0.1", {}), "10.0.0.1"); }

TEST(ClientAddress, IsWhatATrustedProxySays) {
  EXPECT_EQ(forwarded_for("1.1.1.1"), "1.1.1.1");
  EXPECT_EQ(forwarded_for("2001:db8::1"), "2001:db8::1");
  EXPECT_EQ(client("fd00::1", {{"x-forwarded-for", "1.1.1.1"}}), "1.1.1.1");
  EXPECT_EQ(client("::ffff:10.0.0.1", {{"X-Real-IP", "1.1.1.1"}}), "1.1.1.1");
  EXPECT_EQ(forwarded("for=1.1.1.1"), "1.1.1.1");
}

TEST(ClientAddress, IsDecidedByTheFirstHeaderPresent) {  // R2
  const Fields all = {
      {"X-Real-IP", "3.3.3.3"}, {"Forwarded", "for=2.2.2.2"}, {"X-Forwarded-For", "1.1.1.1"}};
  EXPECT_EQ(client("10.0.0.1", all), "1.1.1.1");
  EXPECT_EQ(client("10.0.0.1", {all[0], all[1]}), "2.2.2.2");
  EXPECT_EQ(client("10.0.0.1", {all[0]}), "3.3.3.3");
}

TEST(ClientAddress, IsNotLookedForInTheNextHeaderWhenTheFirstIsBad) {  // R2, R4
  EXPECT_EQ(client("10.0.0.1", {{"X-Forwarded-For", "unknown"}, {"X-Real-IP", "3.3.3.3"}}),
            "10.0.0.1");
  EXPECT_EQ(client("10.0.0.1", {{"X-Forwarded-For", ""}, {"X-Real-IP", "3.3.3.3"}}), "10.0.0.1");
  EXPECT_EQ(client("10.0.0.1", {{"Forwarded", "by=x"}, {"X-Real-IP", "3.3.3.3"}}), "10.0.0.1");
}

TEST(ClientAddress, IsTheFirstStrangerFromTheRight) {  // R3
  EXPECT_EQ(forwarded_for("6.6.6.6, 1.1.1.1, 10.0.0.3, 10.0.0.2"), "1.1.1.1");
  EXPECT_EQ(forwarded_for("6.6.6.6,1.1.1.1"), "1.1.1.1");
  EXPECT_EQ(forwarded("for=6.6.6.6, for=1.1.1.1, for=10.0.0.3"), "1.1.1.1");
}

TEST(ClientAddress, IsTheLeftmostHopWhenAllAreTrusted) {  // R3
  EXPECT_EQ(forwarded_for("10.0.0.9, 10.0.0.2"), "10.0.0.9");
}

TEST(ClientAddress, JoinsRepeatedHeaders) {
  EXPECT_EQ(client("10.0.0.1", {{"X-Forwarded-For", "6.6.6.6"},
                                {"X-Forwarded-For", "1.1.1.1"},
                                {"X-Forwarded-For", "10.0.0.2"}}),
            "1.1.1.1");
}

TEST(ClientAddress, IsNotDisturbedByWhatAClientPutInFront) {  // R3
  EXPECT_EQ(forwarded_for("unknown, 1.1.1.1"), "1.1.1.1");
  EXPECT_EQ(forwarded_for(", ,x y, 1.1.1.1"), "1.1.1.1");
}

TEST(ClientAddress, IsThePeerWhenAHopCannotBeRead) {  // R4
  for (const char* list : {"unknown",
                           "_hidden",
                           "",
                           " ",
                           "1.1.1.1,",
                           "1.1.1.1, ",
                           "1.1.1.1, unknown, 10.0.0.2",
                           "1.1.1",
                           "1.1.1.1 1.1.1.1",
                           "1.1.1.1:",
                           "1.1.1.1:x",
                           "1.1.1.1:65536",
                           "1.1.1.1:+1",
                           "[2001:db8::1",
                           "[2001:db8::1]x",
                           "[2001:db8::1]:",
                           "[1.1.1.1]:1",
                           "[]",
                           "[",
                           "2001:db8::1%eth0",
                           "\"1.1.1.1\"",
                           "for=1.1.1.1",
                           "example.com"}) {
    EXPECT_EQ(forwarded_for(list), "10.0.0.1") << list;
  }
}

TEST(ClientAddress, MayComeWithAPort) {  // R5
  EXPECT_EQ(forwarded_for("1.1.1.1:4711"), "1.1.1.1");
  EXPECT_EQ(forwarded_for("[2001:db8::1]:4711"), "2001:db8::1");
  EXPECT_EQ(forwarded_for("[2001:db8::1]"), "2001:db8::1");
  EXPECT_EQ(forwarded("for=\"1.1.1.1:4711\""), "1.1.1.1");
  EXPECT_EQ(forwarded("for=\"[2001:db8::1]:4711\""), "2001:db8::1");
}

TEST(ClientAddress, IsReadFromForwardedAsItsRfcWritesIt) {
  EXPECT_EQ(forwarded("For=\"[2001:db8:cafe::17]:4711\""), "2001:db8:cafe::17");
  EXPECT_EQ(forwarded("for=192.0.2.60;proto=http;by=203.0.113.43"), "192.0.2.60");
  EXPECT_EQ(forwarded("for=192.0.2.43, for=198.51.100.17"), "198.51.100.17");
  EXPECT_EQ(forwarded("by=10.0.0.1 ; FOR=1.1.1.1 ; host=\"a,b;c\\\"d\" , for=10.0.0.2"), "1.1.1.1");
}

TEST(ClientAddress, IsThePeerWhenForwardedIsMalformed) {  // R4
  for (const char* list :
       {"", "for", "for=", "for=unknown", "for=\"_gazonk\"", "by=1.1.1.1", "for=1.1.1.1,",
        "for=1.1.1.1;", "for=1.1.1.1;for=2.2.2.2", "for=\"1.1.1.1", "for=\"1.1.1.1\"x",
        "for=1.1.1.1\"", "=1.1.1.1", "1.1.1.1", "for=\"\\", "for=1.1.1.1, proto=http"}) {
    EXPECT_EQ(forwarded(list), "10.0.0.1") << list;
  }
}

TEST(ClientAddress, CannotBeForgedByAQuoteThatIsLeftOpen) {  // R4
  // The client sends everything up to the comma, the proxy adds the rest.
  for (const char* forged : {"for=6.6.6.6;x=\"", "for=6.6.6.6;x=\"\\", "for=\"6.6.6.6",
                             "for=6.6.6.6;x=\"\\\"", "\"", "for=6.6.6.6,\"", "x=\",for=6.6.6.6"}) {
    for (const char* added : {"for=1.1.1.1", "for=\"1.1.1.1\"", "for=\"[2001:db8::1]:1\""}) {
      const std::string seen = forwarded(std::string(forged) + ", " + added);
      EXPECT_NE(seen, "6.6.6.6") << forged << " + " << added;
    }
  }
}

TEST(ClientAddress, OfRandomHeadersIsThePeerOrStandsInThem) {
  constexpr std::uint64_t kSeed = 40;
  SCOPED_TRACE(kSeed);
  core::Rng rng(kSeed);
  const char* parts[] = {"for=", "1.1.1.1", "10.0.0.2", "[fd00::1]", "\"",      "\\", ",", ";",
                         " ",    ":1",      "=",        "x",         "unknown", "[",  "]", "by="};
  const char* names[] = {"X-Forwarded-For", "Forwarded", "X-Real-IP"};
  for (int i = 0; i < 50'000; ++i) {
    std::string list;
    for (auto n = rng.below(10); n > 0; --n) list += parts[rng.below(std::size(parts))];
    const std::string seen = client("10.0.0.1", {{names[rng.below(3)], list}});
    EXPECT_TRUE(seen == "10.0.0.1" || list.find(seen) != std::string::npos || seen == "1.1.1.1")
        << list << " gave " << seen;
  }
}

}  // namespace client_address_test
}  // namespace graspd::http
