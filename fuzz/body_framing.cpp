// A chunked body is the same bytes, and ends in the same place, whole and byte by byte.
#include "net/body_framing.h"

#include <cstdint>
#include <string>
#include <string_view>

#include "core/check.h"

namespace graspd::net {
namespace {

struct Read {
  std::string data;
  std::size_t taken = 0;
  bool ended = false, broken = false;

  bool operator==(const Read&) const = default;
};

Read read(std::string_view bytes, std::size_t step) {
  BodyFraming framing = BodyFraming::chunked();
  Read result;
  std::size_t given = 0;
  while (!framing.ended() && !framing.broken()) {
    const std::string_view input = bytes.substr(result.taken, given - result.taken);
    const std::size_t skipped = framing.skip(input);
    CHECK(skipped <= input.size());
    const std::string_view data = framing.data(input.substr(skipped));
    framing.took(data.size());
    result.data += data;
    result.taken += skipped + data.size();
    if (skipped + data.size() > 0) continue;
    if (given == bytes.size()) break;
    given = std::min(given + step, bytes.size());
  }
  result.ended = framing.ended();
  result.broken = framing.broken();
  return result;
}

}  // namespace
}  // namespace graspd::net

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace graspd::net;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const Read whole = read(bytes, size + 1);
  const Read slow = read(bytes, 1);
  CHECK(whole.broken == slow.broken && whole.ended == slow.ended);
  if (!whole.broken) CHECK(whole == slow);
  CHECK(whole.data.size() <= size);
  return 0;
}
