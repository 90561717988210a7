// One GET over a stream that is connected. Beast's parser is in the .cpp.
#pragma once
#include <memory>
#include <string>

#include "net/dialer.h"
#include "net/dialer_stream.h"

namespace graspd::net {

struct GetRequest {
  std::string peer;  // what errors call it
  std::string host_header;
  std::string path;
};

// The whole request, which asks to be the only one.
std::string get_text(const GetRequest& request, const http::Headers& headers);

Task<core::Result<http::Response, DialError>> get_over(std::shared_ptr<DialerStream> stream,
                                                       GetRequest request, HttpGetOptions options);

}  // namespace graspd::net
