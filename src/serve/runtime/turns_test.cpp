#include "serve/runtime/turns.h"

#include <gtest/gtest.h>

namespace graspd::serve {
namespace turns_test {

core::IpAddress address(const char* text) { return *core::IpAddress::parse(text); }

struct TurnsTest : testing::Test {
  void add(const char* who, char job, std::uint64_t connection = 0) {
    turns.add({party_of(address(who)), connection}, [this, job] {
      done += job;
      return Turn::Over;
    });
  }
  std::string run() {
    while (!turns.empty()) turns.take().job();
    return done;
  }
  Turns turns;
  std::string done;
};

TEST_F(TurnsTest, GoRoundTheParties) {  // R1, R4
  for (char job : {'a', 'b', 'c', 'd'}) add("192.0.2.1", job);
  add("192.0.2.2", 'x');
  add("192.0.2.2", 'y');
  add("2001:db8::1", '1');
  EXPECT_EQ(run(), "ax1bycd");
}

TEST_F(TurnsTest, APartyThatComesLaterWaitsForOneJobOfTheOthers) {  // R1
  for (char job : {'a', 'b', 'c'}) add("192.0.2.1", job);
  turns.take().job();
  add("192.0.2.2", 'x');
  EXPECT_EQ(run(), "abxc");
}

TEST_F(TurnsTest, GoRoundTheConnectionsOfAParty) {  // R2
  for (char job : {'a', 'b', 'c'}) add("192.0.2.1", job, 7);
  add("192.0.2.2", 'x');
  for (char job : {'1', '2'}) add("192.0.2.1", job, 8);
  EXPECT_EQ(run(), "ax1b2c");
}

TEST_F(TurnsTest, AHouseholdIsOneParty) {  // R3
  EXPECT_EQ(party_of(address("2001:db8:1:2:3::4")), party_of(address("2001:db8:1:2:ffff::")));
  EXPECT_NE(party_of(address("2001:db8:1:2::1")), party_of(address("2001:db8:1:3::1")));
  EXPECT_NE(party_of(address("192.0.2.1")), party_of(address("192.0.2.2")));
}

}  // namespace turns_test
}  // namespace graspd::serve
