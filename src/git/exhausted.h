// Which limit of gitio/process.h a git process hit, from its error output or that of its parent.
//
//   R1  A process out of memory says so itself. A process that was killed by a signal is reported
//       by the git that started it, or known by its exit code.
//   R2  A process stopped by a limit proves nothing about the objects: they are neither complete
//       nor missing.
#pragma once
#include <optional>
#include <string_view>

namespace graspd::git {

enum class Exhausted { Memory, Time, FileSize };

// `status`: its exit code, 128 + n after signal n.
std::optional<Exhausted> exhausted(int status, std::string_view complaints);

std::string_view in_words(Exhausted what);  // for whoever pushed

}  // namespace graspd::git
