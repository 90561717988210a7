#include "app/client/verify_lines.h"

#include <cstdio>
#include <fmt/format.h>

#include "app/base/terminal.h"
#include "app/client/service_client.h"
#include "core/counted.h"
#include "grasp/note_text.h"

namespace graspd::app {
namespace {

namespace note = grasp::note;

std::string_view name_of(VerifyReport::Result result) {
  switch (result) {
    case VerifyReport::Result::Ok:
      return "ok";
    case VerifyReport::Result::Nothing:
      return "nothing";
    case VerifyReport::Result::Broken:
      return "broken";
  }
  return "";
}

std::string counted_repositories(std::size_t count) {
  return core::counted(count, "repository", "repositories");
}

}  // namespace

void VerifyReport::add(Result result, const std::string& repository, std::string_view problem) {
  if (!seen_.insert(repository).second) return;
  if (result == Result::Broken) ++broken_;
  const std::string_view why =
      result == Result::Nothing ? "no served state declares anything" : problem;
  fmt::print("{:<8}{}{}{}\n", name_of(result), for_terminal(repository), why.empty() ? "" : ": ",
             for_terminal(why));
  std::fflush(stdout);
}

int VerifyReport::finish() const {
  if (broken_ == 0)
    fmt::print("{}, no problems\n", counted_repositories(seen_.size()));
  else
    fmt::print("{}, {} broken\n", counted_repositories(seen_.size()), broken_);
  return broken_ == 0 ? 0 : 1;
}

std::optional<VerifyPortion> take_portion(std::string_view text, VerifyReport& report) {
  using Result = VerifyReport::Result;
  VerifyPortion portion;
  bool has_number = false, has_waiting = false;
  while (!text.empty()) {
    std::string_view line = note::take(text, '\n');
    const std::string_view name = note::take(line, ' ');
    if (name == "number" || name == "cursor" || name == "waiting") {
      const auto number = note::number<std::uint64_t>(line);
      if (!number) return std::nullopt;
      has_number |= name == "number";
      has_waiting |= name == "waiting";
      if (name == "number") portion.number = *number;
      if (name == "cursor") portion.cursor = *number;
      if (name == "waiting") portion.waiting = *number;
      continue;
    }
    std::string repository(note::take(line, ' '));
    if (repository.starts_with('/')) repository.erase(0, 1);
    if (name == "ok") report.add(Result::Ok, repository, {});
    if (name == "nothing") report.add(Result::Nothing, repository, {});
    if (name == "broken") report.add(Result::Broken, repository, line);
  }
  return has_number && has_waiting ? std::optional(portion) : std::nullopt;
}

}  // namespace graspd::app
