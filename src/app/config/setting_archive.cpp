#include "app/config/setting_archive.h"

#include <algorithm>
#include <fmt/format.h>

#include "app/config/setting_groups.h"
#include "app/config/setting_lists.h"
#include "app/config/setting_row.h"
#include "app/config/setting_value.h"

namespace graspd::app {
namespace {

using namespace row;

Parsed<std::vector<std::string>> parse_domains(std::string_view text) {
  std::vector<std::string> domains;
  for (std::size_t start = 0; start <= text.size();) {
    const auto comma = std::min(text.find(',', start), text.size());
    const std::string_view item = text.substr(start, comma - start);
    start = comma + 1;
    if (item.find_first_not_of(" \t") == std::string_view::npos) continue;
    auto domain = parse_domain(item);
    if (!domain)
      return core::Failure{Complaint{fmt::format("holds \"{}\", which is no service's name", item),
                                     "write host names separated by commas, such as "
                                     "relay.example.org"}};
    domains.push_back(*std::move(domain));
  }
  return domains;
}

Setting services() {
  const auto parse = [](Settings& settings, std::string_view text) {
    return take(parse_domains(text), [&](std::vector<std::string> domains) {
      settings.archive_services = std::move(domains);
    });
  };
  const auto print = [](const Settings& settings) {
    return fmt::format("{}", fmt::join(settings.archive_services, ","));
  };
  return {"ARCHIVE_GRASP_SERVICES",
          Group::Repositories,
          "domains",
          "Archive the repositories that these GRASP servers host, comma-separated",
          parse,
          print,
          "none"};
}

// NGIT_FORMER_DOMAINS
constexpr std::string_view kLetThemGo = "none";

Setting former_domains() {
  const auto parse = [](Settings& settings, std::string_view text) -> Verdict {
    settings.lets_former_go = text == kLetThemGo;
    settings.former_domains.clear();
    if (settings.lets_former_go) return std::nullopt;
    return take(parse_domains(text), [&](std::vector<std::string> domains) {
      settings.former_domains = std::move(domains);
    });
  };
  const auto print = [](const Settings& settings) -> std::string {
    if (settings.lets_former_go) return std::string(kLetThemGo);
    return fmt::format("{}", fmt::join(settings.former_domains, ","));
  };
  return {"FORMER_DOMAINS",
          Group::Repositories,
          "domains|none",
          "Earlier names of this service, which announcements may still list, comma-separated; "
          "none: let those repositories go",
          parse,
          print,
          ""};
}

Setting read_only() {
  const auto parse = [](Settings& settings, std::string_view text) {
    return take(parse_bool(text), [&](bool value) { settings.archive_read_only = value; });
  };
  const auto print = [](const Settings& settings) -> std::string {
    if (!settings.archive_read_only) return "";
    return *settings.archive_read_only ? "true" : "false";
  };
  return {"ARCHIVE_READ_ONLY",
          Group::Repositories,
          "true|false",
          "Accept only archived repositories, and no pushes",
          parse,
          print,
          "true for an archive"};
}

}  // namespace

void add_archive(std::vector<Setting>& rows) {
  rows.push_back(common(
      boolean("ARCHIVE_ALL", Group::Repositories,
              "Archive every repository the server learns of, even if it does not list this server",
              FIELD(archive_all))));
  rows.push_back(archive_whitelist());
  rows.push_back(services());
  rows.push_back(read_only());
  rows.push_back(former_domains());
}

bool is_archive(const Settings& settings) {
  return settings.archive_all || !settings.archive_whitelist.empty() ||
         !settings.archive_services.empty();
}

bool is_read_only_archive(const Settings& settings) {
  return settings.archive_read_only.value_or(is_archive(settings));
}

std::optional<std::string> archive_contradiction(const Settings& settings) {
  const bool by_entry = settings.archive_all || !settings.archive_whitelist.empty();
  if (!settings.archive_services.empty() && by_entry)
    return "NGIT_ARCHIVE_GRASP_SERVICES is set beside NGIT_ARCHIVE_ALL or NGIT_ARCHIVE_WHITELIST: "
           "an archive is of one kind; remove one of them";
  if (is_read_only_archive(settings) && !is_archive(settings))
    return "NGIT_ARCHIVE_READ_ONLY is true without an archive: nothing would be taken at all; set "
           "NGIT_ARCHIVE_ALL, NGIT_ARCHIVE_WHITELIST or NGIT_ARCHIVE_GRASP_SERVICES, or remove it";
  if (is_read_only_archive(settings) && !settings.repository_whitelist.empty())
    return "NGIT_REPOSITORY_WHITELIST is set for a read-only archive, which hosts nobody by "
           "request; use NGIT_ARCHIVE_WHITELIST, or set NGIT_ARCHIVE_READ_ONLY=false";
  return std::nullopt;
}

std::string curation(const Settings& settings) {
  if (is_read_only_archive(settings)) {
    if (settings.archive_all) return "Read-only sync of all repositories found on network";
    if (!settings.archive_whitelist.empty())
      return "Read-only sync of whitelisted repositories and maintainers";
    return fmt::format("Read-only sync of repositories hosted by {}",
                       fmt::join(settings.archive_services, ", "));
  }
  if (settings.repository_whitelist.empty()) return {};
  if (is_archive(settings))
    return "Accepts whitelisted repositories (with or without service listing) and whitelisted "
           "repositories that list this service";
  return "Accepts only whitelisted repositories and maintainers that list this service";
}

}  // namespace graspd::app
