#include <cstdio>
#include <fmt/format.h>

#include "app/base/terminal.h"
#include "app/client/client_commands.h"
#include "app/client/service_client.h"
#include "core/escaped.h"

namespace graspd::app {
namespace {

constexpr int kInTrouble = 1;
constexpr int kNotAsked = 2;

int not_asked(std::string_view why) {
  fmt::print(stderr, "graspd: {}\n", for_terminal(why));
  return kNotAsked;
}

// "; it is not ready: …", or nothing.
std::string why_not_ready(const ServiceAddress& service) {
  const auto answer = get(service, "/readyz", {});
  if (!answer || answer->status != 503) return {};
  return "; it is not ready: " + answer->body.substr(0, answer->body.find('\n'));
}

// Docker knows 0 and 1 only.
int show_health(const ServiceAddress& service) {
  const auto answer = get(service, "/healthz", {});
  if (answer && answer->status == 200) return 0;
  fmt::print(stderr, "graspd: {}\n",
             for_terminal(answer ? fmt::format("{} answers HTTP {}", http_url(service, "/healthz"),
                                               answer->status)
                                 : answer.error()));
  return kInTrouble;
}

}  // namespace

int show_status(const Settings& settings, const StatusOptions& options) {
  const auto service = service_address(settings, options.url);
  if (!service) return not_asked(service.error());
  if (options.health) return show_health(*service);
  http::Headers headers;
  headers.add("Accept", options.json ? "application/json" : "text/plain");
  if (options.url.empty() && !settings.status_token.empty())  // for nobody else's server
    headers.add("Authorization", "Bearer " + settings.status_token);
  const auto answer = get(*service, "/api/sync", std::move(headers));
  if (!answer) return not_asked(answer.error());
  const auto tone = answer->headers.get("Sync-Outlook");
  if (answer->status != 200 || !tone) {
    return not_asked(
        fmt::format("{} reports nothing about sync (HTTP {}); is NGIT_SYNC_ENABLED off, or "
                    "NGIT_STATUS_TOKEN missing?{}",
                    http_url(*service, ""), answer->status, why_not_ready(*service)));
  }
  fmt::print("{}", options.json ? core::escaped_json(answer->body) : for_terminal(answer->body));
  return *tone == "warn" || *tone == "bad" ? kInTrouble : 0;
}

}  // namespace graspd::app
