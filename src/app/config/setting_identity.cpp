#include <utility>

#include "app/base/owner_key.h"
#include "app/config/setting_groups.h"
#include "app/config/setting_row.h"

namespace graspd::app {
namespace {

using namespace row;

Setting domain() {
  const auto parse = [](Settings& settings, std::string_view text) {
    return take(parse_domain(text), [&](std::string value) { settings.domain = std::move(value); });
  };
  return {"DOMAIN",
          Group::Identity,
          "host[:port]",
          "Host name under which clients reach the service",
          parse,
          [](const Settings& settings) { return settings.domain; },
          "the bind address"};
}

Setting base_path() {
  const auto parse = [](Settings& settings, std::string_view text) {
    return take(parse_base_path(text),
                [&](std::string value) { settings.base_path = std::move(value); });
  };
  return {"BASE_PATH", Group::Identity,
          "path",      "URL path below which the service is mounted",
          parse,       [](const Settings& settings) { return settings.base_path; }};
}

Setting owner_nsec() {
  const auto parse = [](Settings& settings, std::string_view text) -> Verdict {
    settings.owner_secret = parse_secret(text);
    if (settings.owner_secret) return std::nullopt;
    return Complaint{"is not a secret key", "write the nsec1… of the relay's owner, or remove it"};
  };
  const auto print = [](const Settings& settings) -> std::string {
    return settings.owner_secret ? "(secret)" : "";
  };
  return {"RELAY_OWNER_NSEC",
          Group::Identity,
          "nsec",
          "Secret key of the relay's owner; has no flag; a credential or a file is safer",
          parse,
          print,
          "see OWNER_NSEC_FILE",
          true};
}

}  // namespace

void add_identity(std::vector<Setting>& rows) {
  rows.push_back(common(domain()));
  rows.push_back(base_path());
  rows.push_back(common(words("RELAY_NAME", Group::Identity, "text", "Name of the relay (NIP-11)",
                              FIELD(relay_name), "DOMAIN grasp relay")));
  rows.push_back(
      common(words("RELAY_DESCRIPTION", Group::Identity, "text",
                   "Description of the relay in one sentence (NIP-11)", FIELD(relay_description))));
  rows.push_back(common(words("RELAY_CONTACT", Group::Identity, "text",
                              "How to reach the operator: a mailto: or https: URL (NIP-11)",
                              FIELD(relay_contact), "none")));
  rows.push_back(owner_nsec());
  rows.push_back(common(words("OWNER_NSEC_FILE", Group::Identity, "path",
                              "File with the owner's secret key; created if it does not exist",
                              FIELD(owner_nsec_file), ".relay-owner.nsec")));
}

}  // namespace graspd::app
