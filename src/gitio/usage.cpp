#include "gitio/usage.h"

#include <charconv>

#include "gitio/commands.h"
#include "gitio/run.h"

namespace graspd::gitio {

core::Result<std::uint64_t, std::string> reachable_bytes(const std::filesystem::path& repository,
                                                         std::span<const git::Oid> tips,
                                                         core::Duration deadline) {
  if (tips.empty()) return 0;
  std::string input;
  for (const git::Oid& tip : tips) input += tip.hex() + '\n';
  auto output = run(measure_objects(repository), input, {.deadline = deadline});
  if (!output) return core::Failure{std::move(output).error()};
  std::uint64_t bytes = 0;
  const std::string& text = output->out;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), bytes);
  if (output->status != 0 || read.ec != std::errc())
    return core::Failure{"cannot measure objects: " + output->err};
  return bytes;
}

}  // namespace graspd::gitio
