// WebSocket frames (RFC 6455) as a client needs them, and no more.
//
//   R1  Client frames carry the mask key 0: legal, and masking by it changes nothing, so a frame
//       can be made once and sent any number of times.
//   R2  A header that is not complete yet is no error: nothing is read until it is.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace graspd::load {

enum class Opcode : std::uint8_t {
  Continuation = 0x0,
  Text = 0x1,
  Binary = 0x2,
  Close = 0x8,
  Ping = 0x9,
  Pong = 0xa,
};

void append_client_frame(std::string& out, Opcode opcode, std::string_view payload);

struct FrameHeader {
  Opcode opcode = Opcode::Text;
  bool final = true;
  std::size_t header_bytes = 0;
  std::size_t payload_bytes = 0;
};
std::optional<FrameHeader> read_server_header(std::string_view bytes);

// Text frames one after the other in one buffer, so that any run of them is one send().
class FrameTrain {
 public:
  void append(std::string_view text);
  void reserve(std::size_t frames, std::size_t bytes);

  std::size_t size() const { return ends_.size(); }
  std::string_view run(std::size_t begin, std::size_t end) const;
  std::string_view operator[](std::size_t index) const { return run(index, index + 1); }

 private:
  std::string bytes_;
  std::vector<std::size_t> ends_;
};

}  // namespace graspd::load
