// The answer that leads elsewhere, for good.
#pragma once
#include <string>

#include "http/message.h"

namespace graspd::http {

// `location` is a path of this host, or a URL.
Response moved_response(std::string location);

}  // namespace graspd::http
