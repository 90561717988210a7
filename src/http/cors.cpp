#include "http/cors.h"

namespace graspd::http {

void add_cors(Headers& headers) {
  headers.add("Access-Control-Allow-Origin", "*");
  headers.add("Access-Control-Allow-Methods", "GET, POST");
  headers.add("Access-Control-Allow-Headers",
              "Content-Type, Authorization, Git-Protocol, Accept, Content-Encoding, "
              "X-Requested-With");
  headers.add("Access-Control-Expose-Headers", "WWW-Authenticate");
}

Response preflight_response() { return {204, {}, {}}; }

}  // namespace graspd::http
