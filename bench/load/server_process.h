// The real server as a child, with a data directory of its own that goes when it goes.
//
//   R1  No rate limits and no caps: what is measured is the server, not its manners.
//   R2  The child dies with this process, whatever ends it.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace graspd::load {

class ScratchDirectory {
 public:
  ScratchDirectory();
  ~ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Environment of server and import alike: where the data lie, and R1.
using Environment = std::vector<std::string>;
Environment server_environment(const std::filesystem::path& data, std::uint16_t port);

// Runs to its end and returns its CPU seconds; throws Failed unless it exits with 0.
double run_to_end(const std::vector<std::string>& command, const Environment& environment,
                  const std::filesystem::path& log, double seconds_max);

class ServerProcess {
 public:
  // Returns when /readyz answers 200.
  ServerProcess(const std::string& binary, const std::filesystem::path& data);
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  std::uint16_t port() const { return port_; }
  pid_t pid() const { return pid_; }
  double cpu_seconds() const;
  std::uint64_t resident_bytes() const;

  // The sum of all series of this name in /metrics; nullopt when there is none.
  std::optional<double> metric(const std::string& name) const;

 private:
  void await_ready() const;
  bool has_ended() const;

  std::filesystem::path log_;
  std::uint16_t port_ = 0;
  pid_t pid_ = -1;
};

}  // namespace graspd::load
