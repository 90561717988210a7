#include "gitio/connectivity.h"

#include "git/command_line.h"
#include "git/exhausted.h"
#include "gitio/run.h"

namespace graspd::gitio {

core::Result<bool, std::string> is_connected(const std::filesystem::path& repository,
                                             const std::vector<git::Oid>& tips,
                                             core::Duration deadline) {
  if (tips.empty()) return true;
  std::string input;
  for (const git::Oid& tip : tips) input += tip.hex() + '\n';
  auto output = run(git::connectivity_check(repository.string()), input, {.deadline = deadline});
  if (!output) return core::Failure{std::move(output).error()};
  // git says 128 when it dies, be it for an object that is missing; more is a signal.
  if (output->status > 128 || git::exhausted(output->status, output->err))
    return core::Failure{"git rev-list was ended: " + output->err};
  return output->status == 0;
}

}  // namespace graspd::gitio
