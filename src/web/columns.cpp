#include "web/columns.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace graspd::web {
namespace {

struct Range {
  std::uint32_t first, last;
};

// The blocks that matter of Unicode's East Asian Width and general categories Mn, Me and Cf.
constexpr std::array kWide{
    Range{0x1100, 0x115f},   Range{0x2e80, 0x303e},   Range{0x3041, 0xa4cf},
    Range{0xac00, 0xd7a3},   Range{0xf900, 0xfaff},   Range{0xfe30, 0xfe6f},
    Range{0xff00, 0xff60},   Range{0xffe0, 0xffe6},   Range{0x1f300, 0x1f64f},
    Range{0x1f680, 0x1f6ff}, Range{0x1f900, 0x1faff}, Range{0x20000, 0x3fffd},
};
constexpr std::array kNoWidth{
    Range{0x0300, 0x036f}, Range{0x0483, 0x0489},   Range{0x0591, 0x05bd},   Range{0x0610, 0x061a},
    Range{0x064b, 0x065f}, Range{0x1ab0, 0x1aff},   Range{0x1dc0, 0x1dff},   Range{0x200b, 0x200f},
    Range{0x2060, 0x2064}, Range{0x20d0, 0x20ff},   Range{0xfe00, 0xfe0f},   Range{0xfe20, 0xfe2f},
    Range{0xfeff, 0xfeff}, Range{0x1f3fb, 0x1f3ff}, Range{0xe0100, 0xe01ef},
};

template <class Ranges>
bool is_in(const Ranges& ranges, std::uint32_t point) {
  return std::ranges::any_of(
      ranges, [&](Range range) { return point >= range.first && point <= range.last; });
}

// The first character of a text that is not empty: its bytes and its width. Broken UTF-8 is taken
// byte by byte.
struct Character {
  std::size_t bytes = 1, width = 1;
};
Character first_of(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t bytes = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (bytes == 1 || bytes > text.size()) return {};
  std::uint32_t point = lead & (0xffU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0U) != 0x80U) return {};
    point = point << 6U | (next & 0x3fU);
  }
  if (is_in(kNoWidth, point)) return {bytes, 0};
  return {bytes, is_in(kWide, point) ? 2U : 1U};
}

// The bytes of the longest beginning that is at most `max` wide, and at least one character.
std::size_t beginning(std::string_view text, std::size_t max) {
  std::size_t bytes = 0, width = 0;
  while (bytes < text.size()) {
    const Character next = first_of(text.substr(bytes));
    if (bytes > 0 && width + next.width > max) break;
    bytes += next.bytes;
    width += next.width;
  }
  return bytes;
}

// R2
std::vector<std::string> broken(std::string_view text, std::size_t max) {
  std::vector<std::string> lines;
  while (terminal_width(text) > max) {
    std::size_t end = beginning(text, max);
    const std::size_t space = text.substr(0, end + 1).rfind(' ');
    if (space != text.npos && space > 0) end = space;
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  }
  lines.emplace_back(text);
  return lines;
}

using Cells = std::vector<std::vector<std::string>>;  // of one row: the lines of each cell

std::string row_in_columns(const Cells& cells, const std::vector<std::size_t>& widths) {
  std::size_t height = 0;
  for (const auto& lines : cells) height = std::max(height, lines.size());
  std::string out;
  for (std::size_t y = 0; y < height; ++y) {
    std::string line;
    for (std::size_t x = 0; x < cells.size(); ++x) {
      const std::string part = y < cells[x].size() ? cells[x][y] : "";
      line += part;
      if (x + 1 < cells.size()) line.append(widths[x] - terminal_width(part) + 2, ' ');
    }
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

}  // namespace

std::size_t terminal_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const Character next = first_of(text);
    width += next.width;
    text.remove_prefix(next.bytes);
  }
  return width;
}

std::string in_columns(const std::vector<std::vector<std::string>>& rows) {
  if (rows.empty()) return {};
  std::vector<std::size_t> widths(rows.front().size(), 0);
  std::vector<Cells> broken_rows;
  for (const auto& row : rows) {
    Cells& cells = broken_rows.emplace_back();
    for (std::size_t x = 0; x < row.size(); ++x) {
      const bool is_last = x + 1 == row.size();
      cells.push_back(is_last ? std::vector{row[x]} : broken(row[x], kColumnMax));
      for (const auto& line : cells.back()) widths[x] = std::max(widths[x], terminal_width(line));
    }
  }
  std::string out;
  for (const Cells& cells : broken_rows) out += row_in_columns(cells, widths);
  return out;
}

}  // namespace graspd::web
