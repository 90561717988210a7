// Bytes to one HTTP/1.1 request. Does no I/O: the connection feeds it.
//
//   R1  A header or body beyond its limit is refused as soon as that is known (431, 413).
//   R2  What is not HTTP is refused with 400, and nothing after it is believed.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "http/message.h"

namespace graspd::net {

class RequestParser {
 public:
  enum class State { Head, Body, Done, Refused };

  struct Limits {
    std::size_t header_bytes_max;
    std::size_t body_bytes_max;
  };

  explicit RequestParser(const Limits& limits);
  ~RequestParser();

  // Returns how many bytes it took. The others are to be put again, with more behind them.
  std::size_t put(std::string_view bytes);
  State state() const;

  std::uint16_t refusal() const;  // the status, when Refused
  bool expects_continue() const;  // in Body: the peer waits for "100 Continue"
  bool keep_alive() const;        // when Done
  bool is_http_1_1() const;       // when Done
  http::Request take_request();   // when Done; nothing is left to ask afterwards

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace graspd::net
