// Which limit of gitio/process.h a git process ran into, from what it or its parent complained.
//
//   R1  A process out of memory says so itself; one that was ended by a signal is spoken of by the
//       git that started it, or known by its exit code.
//   R2  What a limit stopped says nothing about the objects: they are neither whole nor missing.
#pragma once
#include <optional>
#include <string_view>

namespace graspd::git {

enum class Exhausted { Memory, Time, FileSize };

// `status`: its exit code, 128 + n after signal n.
std::optional<Exhausted> exhausted(int status, std::string_view complaints);

std::string_view in_words(Exhausted what);  // for whoever pushed

}  // namespace graspd::git
