#include "http/redirect.h"

namespace graspd::http {

Response moved_response(std::string location) {
  Response response = text_response(301, "Moved to " + location + "\n");
  response.headers.add("Location", std::move(location));
  // Browsers keep it for ever unless they are told otherwise.
  response.headers.add("Cache-Control", "max-age=3600");
  return response;
}

}  // namespace graspd::http
