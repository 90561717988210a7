#include "app/server/verify_page.h"

#include "app/server/sync_window.h"
#include "net/clock.h"
#include "serve/fetch/verify_request.h"

namespace graspd::app {

void add_verify_page(serve::SiteOptions& site, const Settings& settings, std::uint16_t port,
                     serve::Verifier& verifier) {
  constexpr std::string_view kPath = "/api/verify";
  constexpr std::size_t kAnswersAtOnce = 1'000;  // about a hundred kilobytes
  serve::VerifyRequestOptions options{
      site.identity.pubkey, own_addresses(settings, port, kPath),
      [&verifier](const std::optional<grasp::Coordinate>& view) { return verifier.ask(view); },
      [&verifier](std::uint64_t number, std::uint64_t cursor,
                  const std::optional<grasp::Coordinate>& view) {
        return verifier.answers(number, cursor, view, kAnswersAtOnce);
      }};
  site.posts[std::string(kPath)] = [options = std::move(options)](const http::Request& request) {
    return serve::verify_response(options, request, net::now().unix_seconds);
  };
}

}  // namespace graspd::app
