#include "app/config/settings.h"

#include <gtest/gtest.h>

namespace graspd::app {
namespace settings_test {

TEST(Settings, CallsTheServiceByItsAddressUntilADomainIsSet) {
  Settings settings;
  EXPECT_EQ(service_domain(settings, 4711), "127.0.0.1:4711");
  EXPECT_EQ(service_name(settings, 4711), "127.0.0.1:4711 grasp relay");
  settings.bind_ip = *core::IpAddress::parse("::1");
  EXPECT_EQ(service_domain(settings, 4711), "[::1]:4711");
  settings.domain = "example.org";
  EXPECT_EQ(service_domain(settings, 4711), "example.org");
  EXPECT_EQ(service_name(settings, 4711), "example.org grasp relay");
  settings.relay_name = "Ours";
  EXPECT_EQ(service_name(settings, 4711), "Ours");
}

TEST(Settings, MakesTheRelaysOwnUrlFromDomainAndMount) {
  Settings settings;
  EXPECT_EQ(service_url(settings, 7334).text(), "ws://127.0.0.1:7334");
  settings.domain = "localhost:7334";
  EXPECT_EQ(service_url(settings, 7334).text(), "ws://localhost:7334");
  settings.domain = "example.org";
  settings.base_path = "/grasp";
  EXPECT_EQ(service_url(settings, 7334).text(), "wss://example.org/grasp");
}

TEST(Settings, VerifiesOnEveryCoreUntilToldOtherwise) {
  Settings settings;
  EXPECT_GE(verify_threads(settings), 1U);
  settings.ingest.verify_threads = 3;
  EXPECT_EQ(verify_threads(settings), 3U);
}

}  // namespace settings_test
}  // namespace graspd::app
