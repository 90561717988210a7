#include "app/base/standard_input.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <unistd.h>

namespace graspd::app {

core::Result<std::string, std::string> read_standard_input() {
  std::string text;
  std::array<char, 16 * 1024> part;
  while (text.size() <= kInputBytesMax) {
    const ssize_t size = ::read(STDIN_FILENO, part.data(), part.size());
    if (size == 0) return text;
    if (size < 0 && errno == EINTR) continue;
    if (size < 0)
      return core::Failure{fmt::format("cannot read standard input: {}", std::strerror(errno))};
    text.append(part.data(), static_cast<std::size_t>(size));
  }
  return core::Failure{std::string("standard input is larger than any event may be")};
}

}  // namespace graspd::app
