// The ranges of a message, one at a time.
//
//   R1  Counts and lengths are checked against what is left before anything is used.
//   R2  Ranges ascend. An empty one, which ends where the last ended, is allowed: others send it.
//   R3  A range that is returned is whole; after a failure nothing more can be read.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

#include "core/result.h"
#include "negentropy/bad_message.h"
#include "negentropy/bound.h"
#include "negentropy/item_set.h"

namespace graspd::negentropy {

enum class Mode : std::uint8_t { Skipped = 0, Fingerprinted = 1, Listed = 2 };

struct Skip {};

// All ids the sender has in the range, in the sender's order; a view into the message.
struct IdList {
  std::string_view bytes;

  std::size_t size() const { return bytes.size() / sizeof(Id); }
  Id operator[](std::size_t index) const;
};

struct Range {
  Bound upper;
  std::variant<Skip, Fingerprint, IdList> payload;
};

class RangeReader {
 public:
  // `bytes`: a message after its version byte.
  explicit RangeReader(std::string_view bytes) : bytes_(bytes) {}

  bool done() const { return bytes_.empty(); }
  std::size_t left() const { return bytes_.size(); }
  core::Result<Range, BadMessage> next();

 private:
  core::Result<Range, BadMessage> read_payload(Range range);
  core::Result<std::string_view, BadMessage> take(std::size_t count);

  std::string_view bytes_;
  std::uint64_t timestamp_ = 0;
  Bound last_;
};

}  // namespace graspd::negentropy
