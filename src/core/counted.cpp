#include "core/counted.h"

#include <fmt/format.h>

namespace graspd::core {

std::string counted(std::uint64_t number, std::string_view one, std::string_view many) {
  if (number == 1) return fmt::format("1 {}", one);
  if (many.empty()) return fmt::format("{} {}s", number, one);
  return fmt::format("{} {}", number, many);
}

}  // namespace graspd::core
