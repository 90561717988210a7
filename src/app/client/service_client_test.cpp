#include "app/client/service_client.h"

#include <gtest/gtest.h>

#include "app/client/client_commands.h"

namespace graspd::app {
namespace service_client_test {

std::string address(const Settings& settings, const std::string& text = "") {
  const auto found = service_address(settings, text);
  return found ? http_url(*found, "/x") : "";
}

TEST(ServiceClient, FindsTheServerOfThisConfiguration) {  // R1
  Settings settings;
  EXPECT_EQ(address(settings), "http://127.0.0.1:7334/x");
  settings.bind_ip = *core::IpAddress::parse("0.0.0.0");
  settings.base_path = "/grasp";
  EXPECT_EQ(address(settings), "http://127.0.0.1:7334/grasp/x");
  settings.bind_ip = *core::IpAddress::parse("::");
  settings.bind_port = 80;
  EXPECT_EQ(address(settings), "http://[::1]/grasp/x");
}

TEST(ServiceClient, TakesAnAddressInAnySpelling) {
  EXPECT_EQ(address({}, "https://a.example/"), "https://a.example/x");
  EXPECT_EQ(address({}, "wss://a.example/grasp/"), "https://a.example/grasp/x");
  EXPECT_EQ(address({}, "http://127.0.0.1:9000/grasp"), "http://127.0.0.1:9000/grasp/x");
  EXPECT_EQ(address({}, "a.example"), "");
  EXPECT_EQ(address({}, "httpx://a"), "");
}

TEST(StatusCommand, EndsWithTwoWhenNobodyCanBeAsked) {
  EXPECT_EQ(show_status({}, {.url = "nonsense"}), 2);
  EXPECT_EQ(show_status({}, {.url = "http://127.0.0.1:1"}), 2);
}

TEST(SyncRetryCommand, RefusesWhatIsNoRelay) {
  EXPECT_EQ(retry_relay({}, {.relay = "nonsense", .url = ""}), 1);
  EXPECT_EQ(retry_relay({}, {.relay = "wss://a.example", .url = "nonsense"}), 1);
}

}  // namespace service_client_test
}  // namespace graspd::app
