// pkt-lines: four hex digits that count themselves and the payload, then the payload.
//
//   R1  A packet has at most 65520 bytes, header included.
//   R2  0000 flush, 0001 delimiter, 0002 response end. 0003 and anything that is not hex is bad.
//   R3  The reader never looks beyond the packet it returns: what follows stays in take_rest().
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

namespace graspd::git {

inline constexpr std::string_view kFlushPkt = "0000";
inline constexpr std::size_t kPktHeaderBytes = 4;
inline constexpr std::size_t kPktBytesMax = 65520;
inline constexpr std::size_t kPktPayloadMax = kPktBytesMax - kPktHeaderBytes;

// `payload`: at most kPktPayloadMax bytes.
void append_pkt(std::string& out, std::string_view payload);

struct Pkt {
  enum class Kind { Data, Flush, Delim, ResponseEnd };
  Kind kind = Kind::Data;
  std::string payload;
};

class PktReader {
 public:
  struct NeedMore {};
  struct Bad {};  // and everything after it is
  using Next = std::variant<Pkt, NeedMore, Bad>;

  void feed(std::string_view bytes);
  Next next();
  bool empty() const { return read_ == buffer_.size(); }
  // The bytes no packet was made of; the reader is empty afterwards.
  std::string take_rest();

 private:
  std::string buffer_;
  std::size_t read_ = 0;  // bytes of the buffer that were returned
};

}  // namespace graspd::git
