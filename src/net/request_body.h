// The body of one request as it comes out of a connection's bytes: unframed and inflated. Does no
// I/O.
//
//   R1  Bytes are not copied, unless they are compressed or the client sends tiny chunks. Tiny
//       chunks are gathered, so that each does not cost a turn.
//   R2  Both output and input are limited: a compressed body that grows and never yields anything
//       ends too.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "http/message.h"
#include "net/body_framing.h"
#include "net/inflate.h"
#include "net/net_error.h"

namespace graspd::net {

class RequestBody {
 public:
  struct Part {
    std::size_t taken = 0;   // of the input
    std::string_view bytes;  // valid until the next call, while the input is
  };

  RequestBody(const BodyFraming& framing, const InflateLimits& limits,
              std::optional<Compression> compression = std::nullopt);

  // The next bytes. None: give more input, or ended(). Fails with Protocol or TooBig.
  core::Result<Part, NetError> next(std::string_view input);
  bool ended() const;

  // Takes what belongs to the body and throws it away: how much that was. Fails with Protocol.
  core::Result<std::size_t, NetError> discard(std::string_view input);
  const BodyFraming& framing() const { return framing_; }

 private:
  core::Result<Part, NetError> plain(std::string_view input);
  core::Result<Part, NetError> gathered(std::string_view input);
  core::Result<Part, NetError> inflated(std::string_view input);
  bool count(std::size_t wire_bytes);

  BodyFraming framing_;
  std::uint64_t wire_left_;  // data bytes, as sent
  std::optional<Inflater> inflater_;
  std::vector<char> out_;
  bool inflater_empty_ = true;  // nothing more comes out of it without input
};

// The encoding a request says its body has; fails when it is none we can read.
core::Result<std::optional<Compression>, core::Done> compression_of(const http::Headers& headers);

}  // namespace graspd::net
