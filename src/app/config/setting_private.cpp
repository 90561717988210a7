#include "app/config/setting_private.h"

#include <fmt/format.h>

#include "app/config/setting_groups.h"
#include "app/config/setting_lists.h"
#include "app/config/setting_row.h"
#include "relay/http_auth.h"

namespace graspd::app {
namespace {

using namespace row;

// The list of a file that is named, read with the settings.
Setting members_file() {
  const auto parse = [](Settings& settings, std::string_view path) {
    const std::string entry = fmt::format("@{}", path);
    return take(parse_access_list(entry, ListOf::Authors, MayBeEmpty::Yes),
                [&](grasp::AccessList list) {
                  settings.private_members_file = AccessSetting{std::string(path), std::move(list)};
                });
  };
  return {"PRIVATE_MEMBERS_FILE",
          Group::Private,
          "path",
          "File with more members, one npub per line; read again on SIGHUP",
          parse,
          [](const Settings& settings) { return settings.private_members_file.text; },
          "none"};
}

Setting public_origin() {
  const auto parse = [](Settings& settings, std::string_view text) -> Verdict {
    const auto url = relay::relay_url_of_http(text);
    if (!url || !url->path().empty())
      return Complaint{"is not an origin", "write https://host or https://host:port, without path"};
    settings.private_service.public_origin = relay::http_url_of(*url);
    return std::nullopt;
  };
  return {"PRIVATE_PUBLIC_ORIGIN",
          Group::Private,
          "origin",
          "Origin of the clone URLs that clients sign for, if it is not https://DOMAIN",
          parse,
          [](const Settings& settings) { return settings.private_service.public_origin; },
          "https://DOMAIN"};
}

}  // namespace

void add_private(std::vector<Setting>& rows) {
  rows.push_back(common(boolean("PRIVATE_MODE", Group::Private,
                                "Serve members only, everything to all of them (GRASP-08)",
                                FIELD(private_service.is_on))));
  rows.push_back(common(private_members()));
  rows.push_back(members_file());
  rows.push_back(public_origin());
  rows.push_back(boolean("PRIVATE_DERIVED_MEMBERS", Group::Private,
                         "Count other private servers that served announcements list as members",
                         FIELD(private_service.derives_members)));
  rows.push_back(boolean("PRIVATE_SYNC_PUBLIC", Group::Private,
                         "Sync with public servers, too; they learn what is asked of them",
                         FIELD(private_service.syncs_with_public)));
}

std::optional<std::string> private_contradiction(const Settings& settings) {
  const PrivateService& service = settings.private_service;
  const bool has_members = !named_members(settings).empty();
  if (service.is_on && !has_members)
    return "NGIT_PRIVATE_MODE is true without members: nobody could use the service; name them in "
           "NGIT_PRIVATE_MEMBERS or NGIT_PRIVATE_MEMBERS_FILE";
  if (!service.is_on && has_members)
    return "NGIT_PRIVATE_MEMBERS or NGIT_PRIVATE_MEMBERS_FILE names members, but the service is "
           "public; set NGIT_PRIVATE_MODE=true, or remove them";
  if (service.is_on && settings.host.policy.pr_repositories)
    return "NGIT_PRIVATE_MODE is true together with NGIT_GRASP06_ENABLE, which lets everybody push "
           "pull requests; switch one of them off";
  if (service.is_on && settings.acceptance == Acceptance::Open)
    return "NGIT_PRIVATE_MODE is true together with NGIT_ACCEPT=open; a private service hosts "
           "repositories: write NGIT_ACCEPT=grasp, or remove it";
  return std::nullopt;
}

relay::Keys named_members(const Settings& settings) {
  relay::Keys keys = settings.private_members.list.owners();
  const auto& more = settings.private_members_file.list.owners();
  keys.insert(more.begin(), more.end());
  return keys;
}

std::string private_origin(const Settings& settings, std::uint16_t bound_port) {
  if (!settings.private_service.public_origin.empty())
    return settings.private_service.public_origin;
  const bool is_local = !service_url(settings, bound_port).is_secure();
  return fmt::format("{}://{}", is_local ? "http" : "https", service_domain(settings, bound_port));
}

}  // namespace graspd::app
