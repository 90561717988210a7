#include "net/inflate.h"

#include <algorithm>
#include <limits>
#include <zlib.h>

#include "core/check.h"

namespace graspd::net {
namespace {

constexpr int kGzipWindowBits = 15 + 16;
constexpr int kZlibWindowBits = 15;

unsigned clamped(std::size_t size) {
  return static_cast<unsigned>(std::min<std::size_t>(size, std::numeric_limits<unsigned>::max()));
}

}  // namespace

struct Inflater::Zlib {
  explicit Zlib(Compression compression) {
    const int bits = compression == Compression::Gzip ? kGzipWindowBits : kZlibWindowBits;
    CHECK(::inflateInit2(&stream, bits) == Z_OK);
  }
  ~Zlib() { ::inflateEnd(&stream); }

  z_stream stream{};
  bool at_end = false;
};

Inflater::Inflater(Compression compression, const InflateLimits& limits)
    : compression_(compression), limits_(limits), zlib_(std::make_unique<Zlib>(compression)) {}

Inflater::~Inflater() = default;

bool Inflater::ended() const { return zlib_->at_end; }

core::Result<Inflater::Step, InflateError> Inflater::put(std::string_view in, std::span<char> out) {
  z_stream& stream = zlib_->stream;
  // zlib does not write to its input; it only lacks the const.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
  stream.avail_in = clamped(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = clamped(out.size());
  while (true) {
    if (zlib_->at_end && stream.avail_in > 0) {
      if (compression_ == Compression::Zlib) return core::Failure{InflateError::Corrupt};
      CHECK(::inflateReset(&stream) == Z_OK);
      zlib_->at_end = false;
    }
    if (zlib_->at_end) break;
    const int status = ::inflate(&stream, Z_NO_FLUSH);
    zlib_->at_end = status == Z_STREAM_END;
    if (status == Z_BUF_ERROR) break;  // no progress without more space or more input
    if (status != Z_OK && !zlib_->at_end) return core::Failure{InflateError::Corrupt};
  }
  return counted({in.size() - stream.avail_in, out.size() - stream.avail_out});
}

core::Result<Inflater::Step, InflateError> Inflater::counted(const Step& step) {
  in_total_ += step.taken;
  out_total_ += step.made;
  const bool too_big = out_total_ > limits_.bytes_max;
  const bool too_dense =
      out_total_ > kFreeBytes && (out_total_ - kFreeBytes) / limits_.ratio_max > in_total_;
  if (too_big || too_dense) return core::Failure{InflateError::TooBig};
  return step;
}

}  // namespace graspd::net
