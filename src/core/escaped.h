// Strangers' words made fit for a terminal or a log: characters that would steer it are written
// down instead.
//
//   R1  Control characters (C0, DEL, C1), line and paragraph separators, and marks that turn the
//       direction of what follows come out as \n, \x1b or \u202e.
//   R2  Bytes that are no UTF-8 come out as \x9b: some terminals take them for C1.
//   R3  Everything else stands for itself.
#pragma once
#include <string>
#include <string_view>

namespace graspd::core {

enum class Newlines { Escaped, Kept };

std::string escaped(std::string_view text, Newlines newlines = Newlines::Escaped);

// The same for JSON, which stays JSON and means the same: \u009b. White space may stand between
// its values.
std::string escaped_json(std::string_view json);

}  // namespace graspd::core
