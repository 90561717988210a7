// The page at the root: who operates the server, how to use it, what is hosted.
#pragma once
#include <string_view>

#include "http/message.h"
#include "relay/information.h"
#include "web/home.h"
#include "web/hosted.h"

namespace graspd::web {

// Of a relay that hosts nothing.
http::Response start_page(const relay::Identity& identity, const Home& home,
                          std::string_view trouble = {});
// Of a private service (GRASP-08): everybody may see it, so it tells of nothing that is hosted.
http::Response private_start_page(const relay::Identity& identity, const Home& home,
                                  std::string_view trouble = {});
// `sync_verdict` is how sync with other relays fares; empty where there is none. `trouble` is why
// nothing is stored: "low on disk space, …"; empty: it is.
http::Response start_page(const relay::Identity& identity, const Home& home, const Hosted& hosted,
                          std::string_view sync_verdict = {}, std::string_view trouble = {});

}  // namespace graspd::web
