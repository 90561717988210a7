#include "core/address_class.h"

#include <gtest/gtest.h>

namespace graspd::core {
namespace address_class_test {

AddressClass class_of(std::string_view text) {
  const auto address = IpAddress::parse(text);
  EXPECT_TRUE(address) << text;
  return classify(address.value_or(IpAddress()));
}

void expect_all(AddressClass expected, std::initializer_list<std::string_view> addresses) {
  for (const std::string_view text : addresses) EXPECT_EQ(class_of(text), expected) << text;
}

TEST(AddressClass, CallsThePublicInternetGlobal) {  // R1
  expect_all(AddressClass::Global,
             {"1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0",
              "126.255.255.255", "128.0.0.1", "172.15.255.255", "172.32.0.0", "192.167.255.255",
              "192.169.0.0", "223.255.255.255", "2606:4700:4700::1111", "2a01:4f8::1",
              "2001:200::1", "3ffe::1"});
}

TEST(AddressClass, KnowsWhatIsNotForStrangers) {
  expect_all(AddressClass::Unspecified, {"0.0.0.0", "0.1.2.3", "::"});
  expect_all(AddressClass::Loopback, {"127.0.0.1", "127.255.255.255", "::1", "::ffff:127.0.0.1"});
  expect_all(AddressClass::Private,
             {"10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "::ffff:10.0.0.1",
              "fc00::1", "fdff:ffff::1", "fec0::1", "64:ff9b:1::1"});
  expect_all(AddressClass::LinkLocal, {"169.254.169.254", "fe80::1", "febf::1"});
  expect_all(AddressClass::CarrierShared, {"100.64.0.0", "100.127.255.255"});
  expect_all(AddressClass::Multicast, {"224.0.0.1", "239.255.255.255", "ff02::1"});
  expect_all(AddressClass::Documentation,
             {"192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff:fff::1"});
  expect_all(AddressClass::Reserved,
             {"192.0.0.8", "192.88.99.1", "198.18.0.1", "198.19.255.255", "240.0.0.1",
              "255.255.255.255", "2001::1", "2001:20::1", "100::1", "4000::1", "5f00::1"});
}

TEST(AddressClass, LooksIntoTunnelsForTheirIpv4) {  // R2
  expect_all(AddressClass::Global, {"64:ff9b::1.1.1.1", "2002:101:101::1"});
  expect_all(AddressClass::Private, {"64:ff9b::10.0.0.1", "2002:c0a8:101::1"});
  expect_all(AddressClass::Loopback, {"64:ff9b::127.0.0.1", "2002:7f00:1::"});
  expect_all(AddressClass::LinkLocal, {"64:ff9b::169.254.169.254", "2002:a9fe:a9fe::"});
}

TEST(AddressClass, TrustsNoOtherTunnel) {  // R2
  expect_all(AddressClass::Reserved, {"::1.1.1.1", "::7f00:1", "2001:0:4136:e378:8000:63bf::"});
}

TEST(AddressClass, KnowsNamesThatAreNotPublic) {  // R4
  for (const char* const name : {"localhost", "printer", "a.localhost", "a.local", "a.localdomain",
                                 "a.internal", "a.home.arpa", "a.onion", "a.test", "a.invalid"})
    EXPECT_FALSE(is_public_name(name)) << name;
  for (const char* const name :
       {"relay.example", "local.example", "my-internal.example", "a.tests"})
    EXPECT_TRUE(is_public_name(name)) << name;
}

TEST(AddressClass, SaysWhatItFound) {
  EXPECT_EQ(describe(class_of("127.0.0.1")), "a loopback address");
  EXPECT_EQ(describe(class_of("169.254.169.254")), "a link-local address");
}

}  // namespace address_class_test
}  // namespace graspd::core
