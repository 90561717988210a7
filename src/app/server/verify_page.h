// POST /api/verify, for `graspd verify`.
#pragma once
#include "app/config/settings.h"
#include "serve/fetch/verifier.h"
#include "serve/site/site.h"

namespace graspd::app {

// The verifier lives longer than the site.
void add_verify_page(serve::SiteOptions& site, const Settings& settings, std::uint16_t port,
                     serve::Verifier& verifier);

}  // namespace graspd::app
