#include "git/pkt_line.h"

#include <charconv>
#include <fmt/format.h>
#include <iterator>
#include <optional>

#include "core/check.h"

namespace graspd::git {
namespace {

std::optional<std::size_t> read_length(std::string_view header) {
  std::size_t length = 0;
  const char* end = header.data() + header.size();
  const auto [stop, error] = std::from_chars(header.data(), end, length, 16);
  if (error != std::errc() || stop != end) return std::nullopt;
  return length;
}

std::optional<Pkt::Kind> special_kind(std::size_t length) {
  switch (length) {
    case 0:
      return Pkt::Kind::Flush;
    case 1:
      return Pkt::Kind::Delim;
    case 2:
      return Pkt::Kind::ResponseEnd;
    default:
      return std::nullopt;
  }
}

}  // namespace

void append_pkt(std::string& out, std::string_view payload) {
  CHECK(payload.size() <= kPktPayloadMax);
  fmt::format_to(std::back_inserter(out), "{:04x}", payload.size() + kPktHeaderBytes);
  out += payload;
}

void PktReader::feed(std::string_view bytes) {
  buffer_.erase(0, read_);
  read_ = 0;
  buffer_ += bytes;
}

PktReader::Next PktReader::next() {
  const auto left = std::string_view(buffer_).substr(read_);
  if (left.size() < kPktHeaderBytes) return NeedMore{};
  const auto length = read_length(left.substr(0, kPktHeaderBytes));
  if (!length || *length > kPktBytesMax) return Bad{};
  if (const auto kind = special_kind(*length)) {
    read_ += kPktHeaderBytes;
    return Pkt{*kind, {}};
  }
  if (*length < kPktHeaderBytes) return Bad{};
  if (left.size() < *length) return NeedMore{};
  read_ += *length;
  return Pkt{Pkt::Kind::Data, std::string(left.substr(kPktHeaderBytes, *length - kPktHeaderBytes))};
}

std::string PktReader::take_rest() {
  std::string rest = std::move(buffer_);
  rest.erase(0, read_);
  buffer_.clear();
  read_ = 0;
  return rest;
}

}  // namespace graspd::git
