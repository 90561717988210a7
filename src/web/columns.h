// Rows of cells as text in columns, for terminals.
//
//   R1  Every cell of a column begins at the same place, whatever the cells before it contain.
//   R2  A cell wider than kColumnMax continues below itself, broken between words if possible. The
//       last column is not broken, because nothing follows it.
//   R3  Width is what a terminal shows: wide characters take two places, combining ones none.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace graspd::web {

inline constexpr std::size_t kColumnMax = 48;

std::size_t terminal_width(std::string_view text);  // R3

// All rows are of one length; the cells hold no line breaks.
std::string in_columns(const std::vector<std::vector<std::string>>& rows);

}  // namespace graspd::web
