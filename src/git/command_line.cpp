#include "git/command_line.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "core/check.h"
#include "git/environment.h"
#include "git/git_config.h"

namespace graspd::git {
namespace {

using Arguments = std::vector<std::string>;

CommandLine command(const std::string& repo_path, Arguments argv, Environment environment) {
  CHECK(repo_path.starts_with('/'));
  return {std::move(argv), std::move(environment).finish(), repo_path};
}

// A command that takes its repository as --git-dir.
CommandLine in_repository(const std::string& repo_path, Arguments arguments) {
  Arguments argv = {"git", "--git-dir=" + repo_path};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return command(repo_path, std::move(argv), Environment());
}

// R3. The index of many small objects is larger than their pack.
CommandLine receiving(CommandLine command, const ReceiveLimits& limits) {
  constexpr std::uint64_t kIndexBytes = 64ULL << 20;
  if (limits.pack_bytes_max > 0) command.file_bytes_max = limits.pack_bytes_max + kIndexBytes;
  return command;
}

// Of what a bounded process may have, this much is for packs that it maps.
constexpr std::uint64_t kMappedShare = 8;

Environment within(const Bounds& bounds, Environment environment) {
  if (bounds.memory_bytes == 0) return environment;
  const std::uint64_t mapped = bounds.memory_bytes / kMappedShare;
  environment.add_config("core.packedGitLimit", std::to_string(mapped));
  environment.add_config("core.packedGitWindowSize", std::to_string(mapped / kMappedShare));
  return environment;
}

CommandLine within(const Bounds& bounds, CommandLine command) {
  command.memory_bytes_max = bounds.memory_bytes - bounds.memory_bytes / kMappedShare;
  command.cpu_seconds_max = bounds.cpu_seconds;
  return command;
}

Environment speaking(Protocol protocol) {
  Environment environment;
  switch (protocol) {
    case Protocol::V0:
      break;
    case Protocol::V1:
      environment.add("GIT_PROTOCOL", "version=1");
      break;
    case Protocol::V2:
      environment.add("GIT_PROTOCOL", "version=2");
      break;
  }
  return environment;
}

Protocol parse_version(std::string_view item) {
  if (item == "version=1") return Protocol::V1;
  if (item == "version=2") return Protocol::V2;
  return Protocol::V0;
}

void append_update(std::string& out, const RefUpdate& update) {
  const std::string zero(1, '\0');
  CHECK(update.old_oid || update.new_oid);
  if (!update.new_oid) {
    out += "delete " + update.ref.text() + zero + update.old_oid->hex() + zero;
  } else if (!update.old_oid) {
    out += "create " + update.ref.text() + zero + update.new_oid->hex() + zero;
  } else {
    out += "update " + update.ref.text() + zero + update.new_oid->hex() + zero +
           update.old_oid->hex() + zero;
  }
}

}  // namespace

Protocol parse_protocol(std::string_view git_protocol_header) {
  Protocol highest = Protocol::V0;
  while (!git_protocol_header.empty()) {
    const auto item = git_protocol_header.substr(0, git_protocol_header.find(':'));
    highest = std::max(highest, parse_version(item));
    git_protocol_header.remove_prefix(std::min(item.size() + 1, git_protocol_header.size()));
  }
  return highest;
}

CommandLine advertise_upload_pack(const std::string& repo_path, Protocol protocol) {
  return within(kForAdvertisements, command(repo_path,
                                            {"git", "upload-pack", "--strict", "--stateless-rpc",
                                             "--http-backend-info-refs", repo_path},
                                            within(kForAdvertisements, speaking(protocol))));
}

CommandLine upload_pack(const std::string& repo_path, Protocol protocol, const Bounds& bounds,
                        TreeFilter filter) {
  Environment environment = within(bounds, speaking(protocol));
  if (filter == TreeFilter::Allowed) environment.add_config("uploadpackfilter.tree.allow", "true");
  return within(bounds,
                command(repo_path, {"git", "upload-pack", "--strict", "--stateless-rpc", repo_path},
                        std::move(environment)));
}

CommandLine advertise_receive_pack(const std::string& repo_path, Protocol protocol,
                                   Advertised what) {
  Environment environment = within(kForAdvertisements, speaking(protocol));
  if (what == Advertised::Nothing) environment.add_config("receive.hideRefs", "refs/");
  return within(kForAdvertisements, command(repo_path,
                                            {"git", "receive-pack", "--stateless-rpc",
                                             "--http-backend-info-refs", repo_path},
                                            std::move(environment)));
}

CommandLine receive_pack(const std::string& repo_path, const ReceiveLimits& limits) {
  Environment environment = within(limits.bounds, Environment());
  environment.add_config("receive.maxInputSize", std::to_string(limits.pack_bytes_max));
  auto receive = command(repo_path, {"git", "receive-pack", "--stateless-rpc", repo_path},
                         std::move(environment));
  return within(limits.bounds, receiving(std::move(receive), limits));
}

CommandLine update_refs(const std::string& repo_path) {
  return in_repository(repo_path, {"update-ref", "--stdin", "-z"});
}

std::string update_refs_input(std::span<const RefUpdate> updates) {
  std::string input;
  for (const auto& update : updates) append_update(input, update);
  return input;
}

CommandLine connectivity_check(const std::string& repo_path) {
  return in_repository(repo_path, {"rev-list", "--objects", "--stdin", "--not", "--all", "--quiet",
                                   "--alternate-refs"});
}

CommandLine pack_refs(const std::string& repo_path) {
  return in_repository(repo_path, {"pack-refs", "--all"});
}

CommandLine commit_graph(const std::string& repo_path) {
  return in_repository(repo_path, {"commit-graph", "write", "--reachable", "--no-progress"});
}

}  // namespace graspd::git
