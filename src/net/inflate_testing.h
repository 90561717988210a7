// Compressed bytes for tests.
#pragma once
#include <stdexcept>
#include <string>
#include <string_view>
#include <zlib.h>

namespace graspd::net {

inline std::string compressed(std::string_view text, int window_bits) {
  z_stream stream{};
  if (::deflateInit2(&stream, 9, Z_DEFLATED, window_bits, 9, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("deflateInit2");
  std::string out(::deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<unsigned>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<unsigned>(out.size());
  const int status = ::deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  ::deflateEnd(&stream);
  if (status != Z_STREAM_END) throw std::runtime_error("deflate");
  return out;
}

inline std::string gzip(std::string_view text) { return compressed(text, 15 + 16); }
inline std::string zlib(std::string_view text) { return compressed(text, 15); }

// Bytes that hardly compress, always the same.
inline std::string noise(std::size_t size) {
  std::string bytes(size, '\0');
  std::uint64_t state = 88172645463325252ull;
  for (char& byte : bytes) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    byte = static_cast<char>(state);
  }
  return bytes;
}

}  // namespace graspd::net
