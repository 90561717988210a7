// Runs a program to its end. Blocks: for worker threads.
//
//   R1  Input is written and both outputs are read concurrently, so that no pipe fills up and
//       stalls.
//   R2  Output beyond the limit, a passed deadline and a stop request end the whole process group
//       and are failures. A limit on error output only truncates it.
//   R3  A program that does not read all its input is no failure: its exit code decides.
#pragma once
#include <cstddef>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/result.h"
#include "core/time.h"
#include "git/command_line.h"

namespace graspd::gitio {

struct RunLimits {
  std::size_t output_max = 64 * 1024 * 1024;
  std::size_t error_max = 64 * 1024;  // git's complaints are short; a flood of them is cut
  core::Duration deadline = std::chrono::minutes(2);
  std::stop_token stop = {};  // ends it within moments, as the deadline does
};

struct Output {
  int status = 0;  // exit code, 128 + n after signal n
  std::string out;
  std::string err;
};

// The output in pieces, as it comes: `Output::out` stays empty.
using Sink = std::function<void(std::string_view piece)>;
core::Result<Output, std::string> run_into(const Sink& sink, const git::CommandLine& command,
                                           std::string_view input, const RunLimits& limits = {});

core::Result<Output, std::string> run(const git::CommandLine& command, std::string_view input,
                                      const RunLimits& limits = {});

// The output alone; an exit code other than 0 is a failure that quotes the program's complaint.
core::Result<std::string, std::string> run_ok(const git::CommandLine& command,
                                              std::string_view input, const RunLimits& limits = {});

}  // namespace graspd::gitio
