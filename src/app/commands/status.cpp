#include "app/commands/status.h"

#include <cstdio>
#include <fmt/format.h>

#include "app/commands/service_client.h"

namespace graspd::app {
namespace {

constexpr int kInTrouble = 1;
constexpr int kNotAsked = 2;

int not_asked(std::string_view why) {
  fmt::print(stderr, "graspd: {}\n", for_terminal(why));
  return kNotAsked;
}

}  // namespace

int show_status(const Settings& settings, const StatusOptions& options) {
  const auto service = service_address(settings, options.url);
  if (!service) return not_asked(service.error());
  http::Headers headers;
  headers.add("Accept", options.json ? "application/json" : "text/plain");
  const auto answer = get(*service, "/api/sync", std::move(headers));
  if (!answer) return not_asked(answer.error());
  const auto tone = answer->headers.get("Sync-Outlook");
  if (answer->status != 200 || !tone) {
    return not_asked(fmt::format("{} says nothing of sync (HTTP {}); is NGIT_SYNC_ENABLED off?",
                                 http_url(*service, ""), answer->status));
  }
  fmt::print("{}", for_terminal(answer->body));
  return *tone == "warn" || *tone == "bad" ? kInTrouble : 0;
}

}  // namespace graspd::app
