// Separates a request's body from its framing and from the next request (RFC 9112, read strictly:
// whatever two parsers could read differently is an error).
//
//   R1  A chunk's line is a hexadecimal size of 1 to 15 digits, an optional extension, and CRLF;
//       kLineBytesMax in all. A bare CR or LF breaks the body.
//   R2  Trailers are skipped, up to kTrailerBytesMax.
//   R3  Nothing after the end is consumed.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace graspd::net {

class BodyFraming {
 public:
  static constexpr std::size_t kLineBytesMax = 256;
  static constexpr std::size_t kTrailerBytesMax = 8 * 1024;

  static BodyFraming none() { return length(0); }
  static BodyFraming length(std::uint64_t bytes);
  static BodyFraming chunked();

  // Takes the framing at the front of `bytes`: how much that is.
  std::size_t skip(std::string_view bytes);
  // What of `bytes`, which start behind the framing, belongs to the body.
  std::string_view data(std::string_view bytes) const;
  void took(std::size_t data_bytes);

  bool ended() const { return state_ == State::Ended; }
  bool broken() const { return state_ == State::Broken; }
  // How much data is still to come, if the client said so.
  std::optional<std::uint64_t> left() const;

 private:
  enum class State {
    Size,
    Extension,
    SizeLf,
    Data,
    DataCr,
    DataLf,
    TrailerStart,
    Trailer,
    TrailerLf,
    FinalLf,
    Ended,
    Broken
  };

  explicit BodyFraming(State state) : state_(state) {}
  State after(char byte);
  State after_size(char byte);
  State after_line(char byte, State at_cr);

  State state_;
  bool is_chunked_ = false;
  std::uint64_t data_left_ = 0;  // of the chunk, or of the body
  std::size_t size_digits_ = 0;
  std::size_t line_bytes_ = 0;  // of a chunk's line, or of all trailers
};

}  // namespace graspd::net
