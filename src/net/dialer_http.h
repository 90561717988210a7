// One request over a connected stream. Beast's parser is in the .cpp.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "net/dialer.h"
#include "net/dialer_stream.h"

namespace graspd::net {

struct HttpRequest {
  std::string peer;  // what errors call it
  std::string host_header;
  std::string path;
  std::optional<std::string> posted;  // the body of a POST; nullopt: a GET
};

// The whole request, which asks to be the only one.
std::string request_text(const HttpRequest& request, const http::Headers& headers);

Task<core::Result<http::Response, DialError>> ask_over(std::shared_ptr<DialerStream> stream,
                                                       HttpRequest request, HttpGetOptions options);

}  // namespace graspd::net
