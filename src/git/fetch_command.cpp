#include "git/fetch_command.h"

#include <fmt/format.h>
#include <utility>

#include "core/check.h"
#include "git/environment.h"
#include "git/git_config.h"

namespace graspd::git {
namespace {

using Arguments = std::vector<std::string>;

constexpr ConfigPair kClientTable[] = {
    {"protocol.allow", "never"},
    {"protocol.http.allow", "always"},
    {"protocol.https.allow", "always"},
    {"protocol.version", "2"},
    // This also keeps git from the alternates that a dumb server may name.
    {"http.followRedirects", "false"},
    {"http.proxy", ""},
    {"http.sslVerify", "true"},
    {"http.sslVersion", "tlsv1.2"},
    {"http.cookieFile", ""},
    {"http.saveCookies", "false"},
    {"http.emptyAuth", "false"},
    {"credential.helper", ""},
    {"core.askPass", ""},
    {"fetch.fsckObjects", "true"},
    {"fetch.unpackLimit", "1"},
    {"fetch.recurseSubmodules", "false"},
    {"fetch.writeCommitGraph", "false"},
    {"fetch.showForcedUpdates", "false"},
    {"transfer.bundleURI", "false"},
};

// curl's form: host:port:address,address. An address as host needs none.
std::string pin(const FetchTarget& target) {
  std::string addresses;
  for (const core::IpAddress& address : target.addresses) {
    if (!addresses.empty()) addresses += ',';
    addresses += address.is_v4() ? address.text() : "[" + address.text() + "]";
  }
  return fmt::format("{}:{}:{}", target.url.host(), target.url.port(), addresses);
}

Environment environment(const FetchTarget& target) {
  CHECK(!target.addresses.empty());
  Environment environment;
  for (const auto& [key, value] : kClientTable) environment.add_config(key, value);
  for (const auto fault : tolerated_faults())
    environment.add_config(fmt::format("fetch.fsck.{}", fault), "ignore");
  environment.add_config("remote.peer.url", target.url.text());
  if (!core::IpAddress::parse(target.url.host()))
    environment.add_config("http.curloptResolve", pin(target));
  if (!target.authorization.empty())  // R7
    environment.add_config("http.extraHeader", "Authorization: " + target.authorization);
  environment.add("GIT_ALLOW_PROTOCOL", "http:https");
  environment.add("GIT_ASKPASS", "");
  environment.add("GIT_CEILING_DIRECTORIES", "/");
  environment.add("GIT_TRACE_CURL", "1");  // R6: to standard error
  environment.add("GIT_TRACE_CURL_NO_DATA", "1");
  if (!target.extra_ca_file.empty()) {
    environment.add("GIT_SSL_CAINFO", target.extra_ca_file);
    environment.add("GIT_SSL_CAPATH", "/etc/ssl/certs");
  }
  return environment;
}

// R5. A shell sets the limit and becomes git: between starting a process and limiting it from
// outside, it could have children.
Arguments limited(std::uint64_t memory_max, Arguments command) {
  Arguments argv = {"/bin/sh", "-c", "ulimit -d \"$0\" && exec \"$@\"",
                    std::to_string(memory_max >> 10)};
  argv.insert(argv.end(), command.begin(), command.end());
  return argv;
}

}  // namespace

CommandLine ls_remote(const FetchTarget& target) {
  return {limited(target.memory_max, {"git", "ls-remote", "--symref", "peer"}),
          environment(target).finish(), "/"};
}

CommandLine fetch_objects(const std::string& repo_path, const FetchTarget& target, Known known) {
  CHECK(repo_path.starts_with('/'));
  Arguments command = {"git",
                       "--git-dir=" + repo_path,
                       "fetch",
                       "--progress",
                       "--no-tags",
                       "--no-write-fetch-head",
                       "--no-recurse-submodules",
                       "--no-auto-maintenance",
                       "--no-show-forced-updates",
                       "--refmap=",
                       "--stdin"};
  if (known == Known::Nothing) command.emplace_back("--refetch");
  command.emplace_back("peer");
  return {limited(target.memory_max, std::move(command)), environment(target).finish(), repo_path};
}

}  // namespace graspd::git
