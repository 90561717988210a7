#include "net/request_body.h"

#include <limits>

namespace graspd::net {
namespace {

constexpr std::size_t kInflatedBytes = 64 * 1024;
// A chunk below this is gathered with its followers, up to kGatherBytes.
constexpr std::size_t kTinyBytes = 2 * 1024;
constexpr std::size_t kGatherBytes = 16 * 1024;
// Compression may enlarge a little what it cannot make smaller.
constexpr std::uint64_t kEnlargedBytes = 64 * 1024;

std::uint64_t wire_bytes_max(const InflateLimits& limits, bool compressed) {
  const std::uint64_t extra = limits.bytes_max / 8 + kEnlargedBytes;
  if (!compressed) return limits.bytes_max;
  if (limits.bytes_max > std::numeric_limits<std::uint64_t>::max() - extra)
    return std::numeric_limits<std::uint64_t>::max();
  return limits.bytes_max + extra;
}

NetError reason_of(InflateError error) {
  return error == InflateError::TooBig ? NetError::TooBig : NetError::Protocol;
}

}  // namespace

RequestBody::RequestBody(const BodyFraming& framing, const InflateLimits& limits,
                         std::optional<Compression> compression)
    : framing_(framing), wire_left_(wire_bytes_max(limits, compression.has_value())) {
  if (!compression) return;
  inflater_.emplace(*compression, limits);
  out_.resize(kInflatedBytes);
}

bool RequestBody::ended() const {
  return framing_.ended() && (!inflater_ || (inflater_empty_ && inflater_->ended()));
}

core::Result<RequestBody::Part, NetError> RequestBody::next(std::string_view input) {
  if (framing_.left().value_or(0) > wire_left_) return core::Failure{NetError::TooBig};
  auto part = inflater_ ? inflated(input) : plain(input);
  if (framing_.broken()) return core::Failure{NetError::Protocol};
  return part;
}

bool RequestBody::count(std::size_t wire_bytes) {
  framing_.took(wire_bytes);
  if (wire_bytes > wire_left_) return false;
  wire_left_ -= wire_bytes;
  return true;
}

core::Result<RequestBody::Part, NetError> RequestBody::plain(std::string_view input) {
  const std::size_t framing_bytes = framing_.skip(input);
  const std::string_view data = framing_.data(input.substr(framing_bytes));
  const std::size_t taken = framing_bytes + data.size();
  if (!count(data.size())) return core::Failure{NetError::TooBig};
  if (data.size() >= kTinyBytes || taken == input.size() || framing_.ended() || data.empty())
    return Part{taken, data};
  out_.assign(data.begin(), data.end());
  auto more = gathered(input.substr(taken));
  if (!more) return more;
  return Part{taken + more->taken, more->bytes};
}

core::Result<RequestBody::Part, NetError> RequestBody::gathered(std::string_view input) {
  std::size_t taken = 0;
  while (taken < input.size() && out_.size() < kGatherBytes) {
    taken += framing_.skip(input.substr(taken));
    const std::string_view data =
        framing_.data(input.substr(taken)).substr(0, kGatherBytes - out_.size());
    if (!count(data.size())) return core::Failure{NetError::TooBig};
    if (data.empty()) break;
    out_.insert(out_.end(), data.begin(), data.end());
    taken += data.size();
  }
  return Part{taken, {out_.data(), out_.size()}};
}

core::Result<RequestBody::Part, NetError> RequestBody::inflated(std::string_view input) {
  const std::span<char> out(out_);
  std::size_t taken = 0;
  std::size_t made = 0;
  while (made < out.size()) {
    taken += framing_.skip(input.substr(taken));
    const std::string_view data = framing_.data(input.substr(taken));
    const auto step = inflater_->put(data, out.subspan(made));
    if (!step) return core::Failure{reason_of(step.error())};
    if (!count(step->taken)) return core::Failure{NetError::TooBig};
    taken += step->taken;
    made += step->made;
    inflater_empty_ = made < out.size();
    if (step->taken == 0 && step->made == 0) break;
  }
  const bool cut_short = framing_.ended() && inflater_empty_ && !inflater_->ended();
  if (cut_short) return core::Failure{NetError::Protocol};
  return Part{taken, {out_.data(), made}};
}

core::Result<std::size_t, NetError> RequestBody::discard(std::string_view input) {
  std::size_t taken = 0;
  while (taken < input.size() && !framing_.ended() && !framing_.broken()) {
    taken += framing_.skip(input.substr(taken));
    const std::size_t data = framing_.data(input.substr(taken)).size();
    framing_.took(data);
    taken += data;
  }
  if (framing_.broken()) return core::Failure{NetError::Protocol};
  return taken;
}

core::Result<std::optional<Compression>, core::Done> compression_of(const http::Headers& headers) {
  const auto said = headers.joined("Content-Encoding");
  if (!said || said->empty()) return std::optional<Compression>();
  if (said->find(',') != std::string::npos) return core::Failure{core::Done{}};
  if (headers.has_token("Content-Encoding", "identity")) return std::optional<Compression>();
  if (headers.has_token("Content-Encoding", "deflate")) return std::optional(Compression::Zlib);
  if (headers.has_token("Content-Encoding", "gzip") ||
      headers.has_token("Content-Encoding", "x-gzip"))
    return std::optional(Compression::Gzip);
  return core::Failure{core::Done{}};
}

}  // namespace graspd::net
