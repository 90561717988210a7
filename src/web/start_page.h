// The page at the root: who runs this, how it is used, what is hosted.
#pragma once
#include "http/message.h"
#include "relay/information.h"
#include "web/home.h"
#include "web/hosted.h"

namespace graspd::web {

// Of a relay that hosts nothing.
http::Response start_page(const relay::Identity& identity, const Home& home);
http::Response start_page(const relay::Identity& identity, const Home& home, const Hosted& hosted);

}  // namespace graspd::web
