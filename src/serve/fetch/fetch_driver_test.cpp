#include "serve/fetch/fetch_driver.h"

#include <gtest/gtest.h>

#include "serve/host/grasp_host_testing.h"
#include "serve/runtime/waiting_testing.h"

namespace graspd::serve {
namespace fetch_driver_test {

using namespace host_testing;
using namespace std::chrono_literals;
using waiting::comes_true;

nostr::Event announced(std::uint8_t by, const std::string& identifier) {
  const std::string npub = nostr::nip19::npub(keypair(by).public_key());
  return signed_event(by, 30617,
                      {{"d", identifier},
                       {"clone", "https://us.example/" + npub + "/" + identifier + ".git"},
                       {"relays", "wss://us.example"}});
}

nostr::Event stated(std::uint8_t by, const std::string& identifier) {
  return signed_event(by, 30618, {{"d", identifier}, {"refs/heads/main", std::string(40, 'a')}});
}

std::string address(std::uint8_t by, const std::string& identifier) {
  return "30617:" + keypair(by).public_key().hex() + ":" + identifier;
}

class FetchDriving : public ::testing::Test {
 protected:
  Host world;
  FetchDriverOptions options;
  std::optional<FetchDriver> driver;

  void start() {
    options.own = *grasp::Service::parse("us.example");
    options.tick = 20ms;
    driver.emplace(options, *world.host);
    driver->open();
  }
  std::vector<std::string> fetched() const {
    std::vector<std::string> addresses;
    for (const auto& fetch : driver->plan().fetches(10).shown) addresses.push_back(fetch.address);
    return addresses;
  }
  bool comes_to_fetch(const std::string& address) const {
    return comes_true([&] { return fetched() == std::vector{address}; });
  }
};

TEST_F(FetchDriving, OffersAgainWhatTheSchedulerHadNoSpaceFor) {
  options.scheduler.repositories_max = 1;
  start();
  world.ask(announced(1, "one"));
  world.ask(stated(1, "one"));
  ASSERT_TRUE(comes_to_fetch(address(1, "one")));
  world.ask(announced(2, "two"));
  world.ask(stated(2, "two"));
  ASSERT_TRUE(comes_true([&] { return driver->plan().meter().refused > 0; }));
  EXPECT_EQ(fetched(), std::vector{address(1, "one")});
  world.ask(signed_event(1, 5, {{"a", address(1, "one")}}));
  EXPECT_TRUE(comes_to_fetch(address(2, "two")));
}

}  // namespace fetch_driver_test
}  // namespace graspd::serve
