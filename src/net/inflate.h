// Streaming decompression of untrusted input.
//
//   R1  At most `bytes_max` bytes come out, and beyond kFreeBytes at most `ratio_max` for each
//       input byte: a decompression bomb is detected long before it is big.
//   R2  gzip may hold several members in a row (RFC 1952); zlib is one stream.
//   R3  Bytes after the end are an error, and so is a missing end.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "core/result.h"

namespace graspd::net {

enum class Compression { Gzip, Zlib };

struct InflateLimits {
  std::uint64_t bytes_max;
  std::uint64_t ratio_max;
};

enum class InflateError { Corrupt, TooBig };

class Inflater {
 public:
  // The ratio of the first bytes says nothing: a short text may well be one letter repeated.
  static constexpr std::uint64_t kFreeBytes = 1024 * 1024;

  struct Step {
    std::size_t taken = 0;  // of the bytes put in
    std::size_t made = 0;   // at the front of `out`
  };

  Inflater(Compression compression, const InflateLimits& limits);
  ~Inflater();

  // Works until `in` is taken or `out` is full.
  core::Result<Step, InflateError> put(std::string_view in, std::span<char> out);
  // May the input end here?
  bool ended() const;

 private:
  struct Zlib;
  core::Result<Step, InflateError> counted(const Step& step);

  const Compression compression_;
  const InflateLimits limits_;
  std::uint64_t in_total_ = 0;
  std::uint64_t out_total_ = 0;
  std::unique_ptr<Zlib> zlib_;
};

}  // namespace graspd::net
