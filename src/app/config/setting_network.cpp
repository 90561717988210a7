#include <utility>

#include "app/config/setting_groups.h"
#include "app/config/setting_row.h"

namespace graspd::app {
namespace {

using namespace row;

Setting bind_address_row() {
  const auto parse = [](Settings& settings, std::string_view text) {
    return take(parse_socket_address(text), [&](const SocketAddress& address) {
      settings.bind_ip = address.ip;
      settings.bind_port = address.port;
    });
  };
  const auto print = [](const Settings& settings) {
    return bind_address(settings, settings.bind_port);
  };
  return {"BIND_ADDRESS", Group::Network, "ip:port", "Where to listen; port 0 takes a free one",
          parse,          print};
}

Setting trusted_proxies() {
  const auto parse = [](Settings& settings, std::string_view text) {
    return take(parse_cidrs(text), [&](std::vector<core::Cidr> networks) {
      settings.trusted_proxies = std::move(networks);
      settings.trusted_proxies_text = text;
    });
  };
  return {"TRUSTED_PROXY_CIDRS",
          Group::Network,
          "networks",
          "Proxies whose X-Forwarded-For, Forwarded or X-Real-IP is believed, comma-separated",
          parse,
          [](const Settings& settings) { return settings.trusted_proxies_text; },
          "none"};
}

}  // namespace

void add_network(std::vector<Setting>& rows) {
  constexpr auto kGroup = Group::Network;
  rows.push_back(bind_address_row());
  rows.push_back(trusted_proxies());
  rows.push_back(boolean("COMPRESSION", kGroup, "Offer permessage-deflate to clients",
                         FIELD(server.compression)));
  rows.push_back(seconds("PING_INTERVAL_SECS", kGroup, "Between pings to a client; 0: no pings",
                         FIELD(server.ping_interval)));
  rows.push_back(seconds("IDLE_TIMEOUT_SECS", kGroup,
                         "A client not heard for so long, not even a pong, is dropped; 0: never",
                         FIELD(server.idle_timeout)));
  rows.push_back(seconds("HANDSHAKE_TIMEOUT_SECS", kGroup,
                         "Time to send a whole request header; 0: any",
                         FIELD(server.handshake_timeout)));
  rows.push_back(seconds("SHUTDOWN_DRAIN_SECS", kGroup,
                         "Time for clients to finish when the server stops", FIELD(shutdown_drain),
                         Zero::MeansAtOnce));
}

}  // namespace graspd::app
