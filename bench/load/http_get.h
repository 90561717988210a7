// One request, one connection: for /readyz and /metrics.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace graspd::load {

struct HttpAnswer {
  int status = 0;
  std::string body;
};

// nullopt when nobody answers. Asks the server to close, so that the body ends with the stream.
std::optional<HttpAnswer> http_get(std::uint16_t port, const std::string& path);

}  // namespace graspd::load
