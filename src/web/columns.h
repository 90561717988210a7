// Rows of cells as text in columns, for terminals.
//
//   R1  Every cell of a column begins at the same place, whatever is in the cells before it.
//   R2  A cell that is wider than kColumnMax goes on below itself, broken between two words where
//       it has any. The last column is not broken: what is too long there disturbs nobody.
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
