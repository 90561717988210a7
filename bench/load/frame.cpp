#include "load/frame.h"

#include "core/check.h"

namespace graspd::load {
namespace {

constexpr std::size_t kSevenBitMax = 125, kSixteenBitMax = 0xffff;

void append_big_endian(std::string& out, std::uint64_t value, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
    out.push_back(static_cast<char>(value >> shift & 0xff));
}

std::uint64_t read_big_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (char byte : bytes) value = value << 8 | static_cast<std::uint8_t>(byte);
  return value;
}

}  // namespace

void append_client_frame(std::string& out, Opcode opcode, std::string_view payload) {
  constexpr int kMasked = 0x80;
  out.push_back(static_cast<char>(0x80 | static_cast<int>(opcode)));
  if (payload.size() <= kSevenBitMax) {
    out.push_back(static_cast<char>(kMasked | static_cast<int>(payload.size())));
  } else if (payload.size() <= kSixteenBitMax) {
    out.push_back(static_cast<char>(kMasked | 126));
    append_big_endian(out, payload.size(), 2);
  } else {
    out.push_back(static_cast<char>(kMasked | 127));
    append_big_endian(out, payload.size(), 8);
  }
  out.append(4, '\0');  // R1
  out.append(payload);
}

std::optional<FrameHeader> read_server_header(std::string_view bytes) {
  if (bytes.size() < 2) return std::nullopt;
  const auto first = static_cast<std::uint8_t>(bytes[0]);
  const auto second = static_cast<std::uint8_t>(bytes[1]);
  FrameHeader header{static_cast<Opcode>(first & 0x0f), (first & 0x80) != 0, 2, second & 0x7fu};
  if (header.payload_bytes <= kSevenBitMax) return header;

  const std::size_t length_bytes = header.payload_bytes == 126 ? 2 : 8;
  if (bytes.size() < 2 + length_bytes) return std::nullopt;
  header.header_bytes += length_bytes;
  header.payload_bytes = read_big_endian(bytes.substr(2, length_bytes));
  return header;
}

void FrameTrain::append(std::string_view text) {
  append_client_frame(bytes_, Opcode::Text, text);
  ends_.push_back(bytes_.size());
}

void FrameTrain::reserve(std::size_t frames, std::size_t bytes) {
  ends_.reserve(frames);
  bytes_.reserve(bytes);
}

std::string_view FrameTrain::run(std::size_t begin, std::size_t end) const {
  CHECK(begin <= end && end <= ends_.size());
  const std::size_t from = begin == 0 ? 0 : ends_[begin - 1];
  const std::size_t to = end == 0 ? 0 : ends_[end - 1];
  return std::string_view(bytes_).substr(from, to - from);
}

}  // namespace graspd::load
