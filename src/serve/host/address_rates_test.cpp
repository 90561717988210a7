#include "serve/host/address_rates.h"

#include <gtest/gtest.h>

namespace graspd::serve {
namespace address_rates_test {

core::IpAddress address(std::uint8_t last) { return core::IpAddress::from_v4({10, 0, 0, last}); }
core::Instant at(int seconds) { return core::Instant(std::chrono::seconds(1'000 + seconds)); }

TEST(AddressRates, GiveEveryAddressItsOwn) {
  AddressRates rates(2);
  EXPECT_TRUE(rates.take(address(1), at(0)));
  EXPECT_TRUE(rates.take(address(1), at(0)));
  EXPECT_FALSE(rates.take(address(1), at(0)));
  EXPECT_TRUE(rates.take(address(2), at(0)));
  EXPECT_TRUE(rates.take(address(1), at(30)));
  EXPECT_FALSE(rates.take(address(1), at(30)));
}

TEST(AddressRates, OfZeroGiveNothing) { EXPECT_FALSE(AddressRates(0).take(address(1), at(0))); }

TEST(AddressRates, ForgetWhoDidNothingLately) {  // R1
  AddressRates rates(1);
  EXPECT_TRUE(rates.take(address(1), at(0)));
  EXPECT_FALSE(rates.take(address(1), at(59)));
  EXPECT_TRUE(rates.take(address(2), at(61)));
  EXPECT_TRUE(rates.take(address(1), at(61)));
  EXPECT_FALSE(rates.take(address(1), at(62)));
  EXPECT_TRUE(rates.take(address(3), at(122)));
  EXPECT_TRUE(rates.take(address(3), at(183)));
  EXPECT_EQ(rates.size(), 1U);
}

}  // namespace address_rates_test
}  // namespace graspd::serve
