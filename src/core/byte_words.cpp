#include "core/byte_words.h"

#include <array>
#include <fmt/format.h>

namespace graspd::core {

std::string byte_words(std::uint64_t bytes) {
  constexpr std::array kUnits{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return fmt::format("{} {}", bytes, bytes == 1 ? "byte" : "bytes");
  double size = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (size >= 1024 && unit + 1 < kUnits.size()) {
    size /= 1024;
    ++unit;
  }
  // Cut, not rounded: 1023.99 MiB is not yet 1024.0.
  const auto tenths = static_cast<std::uint64_t>(size * 10);
  if (size >= 100 || tenths % 10 == 0) return fmt::format("{} {}", tenths / 10, kUnits[unit]);
  return fmt::format("{}.{} {}", tenths / 10, tenths % 10, kUnits[unit]);
}

}  // namespace graspd::core
