// Parses bytes to the head of one HTTP/1.1 request and the framing of its body. Does no I/O: the
// connection feeds it.
//
//   R1  A head beyond its limit is rejected as soon as that is known (431).
//   R2  What is not HTTP is rejected with 400, and nothing after it is trusted.
//   R3  So is what two servers could understand differently: a length and chunks, two lengths,
//       chunks in HTTP/1.0. A transfer coding other than chunked is rejected with 501.
//   R4  A target may be a whole URL, as proxies write it: only its path counts.
//   R5  HTTP/1.1 has exactly one Host (RFC 9112 §3.2), HTTP/1.0 at most one, and no field continues
//       in the next line (RFC 9112 §5.2): 400.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "http/message.h"
#include "net/body_framing.h"

namespace graspd::net {

struct RequestHead {
  http::Request request;  // its body is still to be read
  BodyFraming framing = BodyFraming::none();
  bool keep_alive = false;
  bool is_http_1_1 = false;
  bool expects_continue = false;  // the peer waits for "100 Continue"
};

class RequestParser {
 public:
  enum class State { Head, Done, Refused };

  explicit RequestParser(std::size_t header_bytes_max);
  ~RequestParser();

  // Returns how many bytes it took. The others are to be put again, with more behind them.
  std::size_t put(std::string_view bytes);
  State state() const;

  std::uint16_t refusal() const;  // the status, when Refused
  RequestHead take();             // when Done; nothing is left to ask afterwards

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace graspd::net
