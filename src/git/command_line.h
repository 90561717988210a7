// git as we call it: command lines and environments as values, run by gitio/.
//
//   R1  A clean environment: no configuration of system or user, no terminal, no locale. The table
//       in git_config.h has all deviations from git's defaults.
//   R2  Nothing from a request is in an argument. Repositories are absolute paths; refs and oids go
//       through standard input.
//   R3  Limited: one thread and a fixed share of memory per process. Received data stays small on
//       disk too: a thin pack is completed from objects that may be far larger than itself.
//   R4  Nothing starts automatically: no gc, no maintenance, no hook.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "git/align.h"
#include "git/tree_filter.h"

namespace graspd::git {

struct CommandLine {
  std::vector<std::string> argv;
  std::vector<std::string> env;  // the whole environment, NAME=value
  std::string directory;         // where it runs: the repository
  // Of each file it writes; 0: what every process may.
  std::uint64_t file_bytes_max = 0;
  // What it allocates; 0: what every process may.
  std::uint64_t memory_bytes_max = 0;
  std::uint64_t cpu_seconds_max = 0;

  bool operator==(const CommandLine&) const = default;
};

enum class Protocol { V0, V1, V2 };

// The header Git-Protocol: a list of key=value with colons between. Anything strange is version 0.
Protocol parse_protocol(std::string_view git_protocol_header);

// What a process may take of the machine; 0: what every process may.
struct Bounds {
  // In all: what it allocates, and what it maps of packs.
  std::uint64_t memory_bytes = 0;
  std::uint64_t cpu_seconds = 0;

  bool operator==(const Bounds&) const = default;
};
// Work that anybody can ask for without signing anything. A commit of a large project with all its
// objects takes a tenth of that.
inline constexpr Bounds kForStrangers{512ULL << 20, 60};
// Refs are read from files that are mapped; a million of them stay below.
inline constexpr Bounds kForAdvertisements{192ULL << 20, 60};

struct ReceiveLimits {
  // Of the pack as it is sent. Default: large repositories pass, a disk is not filled by one push.
  std::uint64_t pack_bytes_max = 4ULL << 30;
  Bounds bounds;
};

// repo_path: absolute, of a bare repository.
CommandLine advertise_upload_pack(const std::string& repo_path, Protocol protocol);
CommandLine upload_pack(const std::string& repo_path, Protocol protocol, const Bounds& bounds,
                        TreeFilter filter = TreeFilter::None);
enum class Advertised { Everything, Nothing };  // Nothing: as if it were empty, so that all is sent
CommandLine advertise_receive_pack(const std::string& repo_path, Protocol protocol,
                                   Advertised what = Advertised::Everything);
// Reads a command list of ours and the pack, writes its report without side-band if we ask so.
CommandLine receive_pack(const std::string& repo_path, const ReceiveLimits& limits);

// Reads update_refs_input(); one transaction, all or nothing.
CommandLine update_refs(const std::string& repo_path);
std::string update_refs_input(std::span<const RefUpdate> updates);

// Reads oids, one per line; succeeds if all they reach is there. Stops at what refs reach already.
CommandLine connectivity_check(const std::string& repo_path);

CommandLine pack_refs(const std::string& repo_path);
CommandLine commit_graph(const std::string& repo_path);

}  // namespace graspd::git
