// HTTP requests and responses as values: built and read by pure code, carried by net/.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ip_address.h"

namespace graspd::http {

// In the order received; names compare without regard to case.
class Headers {
 public:
  void add(std::string name, std::string value);
  // The first value, if there is one.
  std::optional<std::string_view> get(std::string_view name) const;
  // All values of that name, joined with ", ", as RFC 9110 allows; nullopt when absent.
  std::optional<std::string> joined(std::string_view name) const;
  // Does the comma-separated list `name` hold this token (case-insensitive)?
  bool has_token(std::string_view name, std::string_view token) const;
  const std::vector<std::pair<std::string, std::string>>& fields() const { return fields_; }

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

enum class Method { Get, Head, Options, Post, Other };

struct Request {
  Method method = Method::Get;
  std::string target;  // as received: path and query, undecoded
  Headers headers;
  std::string body;
  core::IpAddress peer;  // the TCP peer

  std::string_view path() const;   // target without the query
  std::string_view query() const;  // after '?', or empty
};

struct Response {
  std::uint16_t status = 200;
  Headers headers;
  std::string body;
};

Response text_response(std::uint16_t status, std::string body);
Response json_response(std::uint16_t status, std::string body);

}  // namespace graspd::http
