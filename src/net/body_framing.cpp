#include "net/body_framing.h"

#include <algorithm>

namespace graspd::net {
namespace {

constexpr std::size_t kSizeDigitsMax = 15;  // no overflow, and more than anybody sends

std::optional<unsigned> hex_digit(char byte) {
  if (byte >= '0' && byte <= '9') return byte - '0';
  if (byte >= 'a' && byte <= 'f') return byte - 'a' + 10;
  if (byte >= 'A' && byte <= 'F') return byte - 'A' + 10;
  return std::nullopt;
}

}  // namespace

BodyFraming BodyFraming::length(std::uint64_t bytes) {
  BodyFraming framing(bytes == 0 ? State::Ended : State::Data);
  framing.data_left_ = bytes;
  return framing;
}

BodyFraming BodyFraming::chunked() {
  BodyFraming framing(State::Size);
  framing.is_chunked_ = true;
  return framing;
}

std::size_t BodyFraming::skip(std::string_view bytes) {
  std::size_t taken = 0;
  while (taken < bytes.size() && state_ != State::Data && !ended() && !broken())
    state_ = after(bytes[taken++]);
  return taken;
}

std::string_view BodyFraming::data(std::string_view bytes) const {
  if (state_ != State::Data) return {};
  return bytes.substr(0, std::min<std::uint64_t>(bytes.size(), data_left_));
}

void BodyFraming::took(std::size_t data_bytes) {
  data_left_ -= data_bytes;
  if (state_ == State::Data && data_left_ == 0) state_ = is_chunked_ ? State::DataCr : State::Ended;
}

std::optional<std::uint64_t> BodyFraming::left() const {
  if (is_chunked_ && !ended()) return std::nullopt;
  return data_left_;
}

BodyFraming::State BodyFraming::after(char byte) {
  const auto expect = [&](char expected, State next) {
    return byte == expected ? next : State::Broken;
  };
  switch (state_) {
    case State::Size:
      return after_size(byte);
    case State::Extension:
      return ++line_bytes_ > kLineBytesMax ? State::Broken : after_line(byte, State::SizeLf);
    case State::SizeLf:
      return expect('\n', data_left_ == 0 ? State::TrailerStart : State::Data);
    case State::DataCr:
      size_digits_ = line_bytes_ = 0;
      return expect('\r', State::DataLf);
    case State::DataLf:
      return expect('\n', State::Size);
    case State::TrailerStart:
      if (byte == '\r') return State::FinalLf;
      [[fallthrough]];
    case State::Trailer:
      return ++line_bytes_ > kTrailerBytesMax ? State::Broken : after_line(byte, State::TrailerLf);
    case State::TrailerLf:
      return expect('\n', State::TrailerStart);
    case State::FinalLf:
      return expect('\n', State::Ended);
    case State::Data:
    case State::Ended:
    case State::Broken:
      break;
  }
  return state_;
}

BodyFraming::State BodyFraming::after_size(char byte) {
  if (const auto digit = hex_digit(byte)) {
    data_left_ = data_left_ * 16 + *digit;
    return ++size_digits_ > kSizeDigitsMax ? State::Broken : State::Size;
  }
  if (size_digits_ == 0) return State::Broken;
  if (byte == '\r') return State::SizeLf;
  return byte == ';' || byte == ' ' || byte == '\t' ? State::Extension : State::Broken;
}

// Within a line whose content does not matter.
BodyFraming::State BodyFraming::after_line(char byte, State at_cr) {
  if (byte == '\r') return at_cr;
  if (byte == '\n' || byte == '\0') return State::Broken;
  return at_cr == State::SizeLf ? State::Extension : State::Trailer;
}

}  // namespace graspd::net
