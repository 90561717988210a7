// Browsers of other origins are welcome: a GRASP server is used by pages it did not serve.
//
//   R1  The headers stand on every response exactly once, also on refusals: a browser that finds
//       none, or two, hides the response from the page.
//   R2  OPTIONS is answered 204 on every path, without credentials.
#pragma once
#include "http/message.h"

namespace graspd::http {

void add_cors(Headers& headers);

// The answer to OPTIONS; like every other response it is still to be given the headers of R1.
Response preflight_response();

}  // namespace graspd::http
