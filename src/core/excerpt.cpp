#include "core/excerpt.h"

namespace graspd::core {
namespace {

bool continues_a_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

}  // namespace

std::string excerpt(std::string text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t end = most;
  while (end > 0 && continues_a_character(text[end])) --end;
  text.resize(end);
  return text;
}

}  // namespace graspd::core
