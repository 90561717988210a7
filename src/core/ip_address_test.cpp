#include "core/ip_address.h"

#include <gtest/gtest.h>

#include "core/rng.h"

namespace graspd::core {
namespace ip_address_test {

IpAddress ip(std::string_view text) {
  const auto address = IpAddress::parse(text);
  EXPECT_TRUE(address) << text;
  return address.value_or(IpAddress());
}

bool within(std::string_view network, std::string_view address) {
  const auto cidr = Cidr::parse(network);
  EXPECT_TRUE(cidr) << network;
  return cidr && cidr->contains(ip(address));
}

TEST(IpAddress, ReadsAndWritesBothFamilies) {
  EXPECT_EQ(ip("192.0.2.1").text(), "192.0.2.1");
  EXPECT_EQ(ip("2001:DB8:0:0:0:0:0:1").text(), "2001:db8::1");
  EXPECT_EQ(ip("::").text(), "::");
  EXPECT_EQ(IpAddress().text(), "::");
  EXPECT_TRUE(ip("192.0.2.1").is_v4());
  EXPECT_FALSE(ip("2001:db8::1").is_v4());
}

TEST(IpAddress, IsTheSameInItsMappedSpelling) {  // R1
  EXPECT_EQ(ip("::ffff:1.2.3.4"), ip("1.2.3.4"));
  EXPECT_EQ(ip("::FFFF:102:304").text(), "1.2.3.4");
  EXPECT_EQ(IpAddress::from_v4({1, 2, 3, 4}), ip("1.2.3.4"));
  EXPECT_NE(ip("::1.2.3.4"), ip("1.2.3.4"));
}

TEST(IpAddress, RefusesEveryOtherSpelling) {  // R2
  for (std::string_view text :
       {"",          " ",          "1.2.3",        "1.2.3.4.5",  "1.2.3.256", "01.2.3.4",
        "0x1.2.3.4", "1.2.3.4 ",   " 1.2.3.4",     "1.2.3.4:80", "[::1]",     "fe80::1%eth0",
        ":::",       "1::2::3",    "12345::",      "::1/128",    "localhost", "1.2.3.-4",
        "+1.2.3.4",  "2130706433", "::ffff:1.2.3", "::1.2.3.4.5"}) {
    EXPECT_FALSE(IpAddress::parse(text)) << text;
  }
  EXPECT_FALSE(IpAddress::parse(std::string_view("1.2.3.4\0x", 9)));
  EXPECT_FALSE(IpAddress::parse(std::string(5000, '1')));
}

TEST(IpAddress, KnowsLoopback) {
  EXPECT_TRUE(ip("127.0.0.1").is_loopback());
  EXPECT_TRUE(ip("127.255.3.4").is_loopback());
  EXPECT_TRUE(ip("::1").is_loopback());
  EXPECT_TRUE(ip("::ffff:127.0.0.1").is_loopback());
  EXPECT_FALSE(ip("128.0.0.1").is_loopback());
  EXPECT_FALSE(ip("::").is_loopback());
  EXPECT_FALSE(ip("::2").is_loopback());
}

TEST(IpAddress, ReadsBackWhateverItWrites) {
  constexpr std::uint64_t kSeed = 21;
  SCOPED_TRACE(kSeed);
  Rng rng(kSeed);
  for (int i = 0; i < 2000; ++i) {
    std::array<std::uint8_t, 16> bytes{};
    // Many zero bytes, so that compressed runs and mapped addresses occur.
    for (auto& byte : bytes) byte = rng.one_in(2) ? 0 : static_cast<std::uint8_t>(rng.next());
    if (rng.one_in(8)) bytes = IpAddress::from_v4({bytes[0], bytes[1], bytes[2], bytes[3]}).bytes();
    const auto address = IpAddress::from_v6(bytes);
    EXPECT_EQ(ip(address.text()), address);
  }
}

TEST(Cidr, HoldsTheAddressesThatShareItsPrefix) {
  EXPECT_TRUE(within("10.0.0.0/8", "10.255.0.1"));
  EXPECT_FALSE(within("10.0.0.0/8", "11.0.0.0"));
  EXPECT_TRUE(within("192.168.4.0/22", "192.168.7.255"));
  EXPECT_FALSE(within("192.168.4.0/22", "192.168.8.0"));
  EXPECT_TRUE(within("fd00::/8", "fdff::1"));
  EXPECT_FALSE(within("fd00::/8", "fc00::1"));
  EXPECT_TRUE(within("2001:db8::/33", "2001:db8:7fff::"));
  EXPECT_FALSE(within("2001:db8::/33", "2001:db8:8000::"));
}

TEST(IpAddress, KnowsWhatItsCustomerWasGiven) {
  const auto allotment = [](const char* text) {
    return IpAddress::parse(text)->allotment().text();
  };
  EXPECT_EQ(allotment("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
  EXPECT_EQ(allotment("192.0.2.1"), "192.0.2.1");
  EXPECT_EQ(allotment("::ffff:192.0.2.1"), "192.0.2.1");
}

TEST(Cidr, OfASingleAddressHoldsThatAlone) {
  EXPECT_TRUE(within("10.0.0.1", "10.0.0.1"));
  EXPECT_FALSE(within("10.0.0.1", "10.0.0.0"));
  EXPECT_TRUE(within("::1", "::1"));
  EXPECT_TRUE(within("::1/128", "::1"));
  EXPECT_FALSE(within("::1", "::"));
}

TEST(Cidr, IgnoresBitsBeyondThePrefix) {
  EXPECT_TRUE(within("10.1.2.3/8", "10.9.9.9"));
  EXPECT_TRUE(within("fd00::1/8", "fd12::"));
}

TEST(Cidr, SeesAMappedAddressAsIpv4) {  // R1
  EXPECT_TRUE(within("10.0.0.0/8", "::ffff:10.0.0.1"));
  EXPECT_TRUE(within("::ffff:10.0.0.0/104", "10.2.3.4"));
}

TEST(Cidr, KeepsTheFamiliesApart) {  // R3
  EXPECT_TRUE(within("::/0", "2001:db8::1"));
  EXPECT_FALSE(within("::/0", "1.2.3.4"));
  EXPECT_TRUE(within("0.0.0.0/0", "1.2.3.4"));
  EXPECT_FALSE(within("0.0.0.0/0", "2001:db8::1"));
}

TEST(Cidr, RefusesWhatIsNoNetwork) {
  for (std::string_view text :
       {"", "/", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "::/129", "10.0.0.0/8/8",
        "10.0.0.0/ 8", "10.0.0.0/+8", "10.0.0.0/8x", "10/8", "10.0.0.0/99999999999", "trusted"}) {
    EXPECT_FALSE(Cidr::parse(text)) << text;
  }
}

}  // namespace ip_address_test
}  // namespace graspd::core
