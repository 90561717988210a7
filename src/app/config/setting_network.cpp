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
  return {"BIND_ADDRESS", Group::Network,
          "ip:port",      "Address and port to listen on; port 0 picks a free one",
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
          "Proxies whose X-Forwarded-For, Forwarded or X-Real-IP is trusted, comma-separated",
          parse,
          [](const Settings& settings) { return settings.trusted_proxies_text; },
          "none"};
}

}  // namespace

void add_network(std::vector<Setting>& rows) {
  constexpr auto kGroup = Group::Network;
  rows.push_back(common(bind_address_row()));
  rows.push_back(common(trusted_proxies()));
  rows.push_back(boolean("COMPRESSION", kGroup, "Offer permessage-deflate to clients",
                         FIELD(server.compression)));
  rows.push_back(seconds("PING_INTERVAL_SECS", kGroup,
                         "Interval between pings to a client; 0: no pings",
                         FIELD(server.ping_interval)));
  rows.push_back(seconds("IDLE_TIMEOUT_SECS", kGroup,
                         "Drop a client after this time without a message or pong; 0: never",
                         FIELD(server.idle_timeout)));
  rows.push_back(seconds("HANDSHAKE_TIMEOUT_SECS", kGroup,
                         "Time a client has to send a complete request header; 0: no limit",
                         FIELD(server.handshake_timeout)));
  rows.push_back(seconds("SHUTDOWN_DRAIN_SECS", kGroup,
                         "Time clients have to finish when the server stops", FIELD(shutdown_drain),
                         Zero::MeansAtOnce));
}

}  // namespace graspd::app
