#include "negentropy/range_reader.h"

#include <algorithm>

#include "negentropy/varint.h"

namespace graspd::negentropy {

Id IdList::operator[](std::size_t index) const {
  Id id;
  std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(index * sizeof(Id)), sizeof(Id),
              id.begin());
  return id;
}

core::Result<Range, BadMessage> RangeReader::next() {
  const auto upper = read_bound(bytes_, timestamp_);
  if (!upper) return core::Failure{upper.error()};
  if (*upper < last_) return core::Failure{BadMessage::Bounds};
  last_ = *upper;
  return read_payload(Range{*upper, Skip{}});
}

core::Result<Range, BadMessage> RangeReader::read_payload(Range range) {
  const auto mode = read_varint(bytes_);
  if (!mode) return core::Failure{mode.error()};
  if (*mode > static_cast<std::uint64_t>(Mode::Listed)) return core::Failure{BadMessage::Mode};

  switch (static_cast<Mode>(*mode)) {
    case Mode::Skipped:
      return range;
    case Mode::Fingerprinted: {
      const auto taken = take(sizeof(Fingerprint));
      if (!taken) return core::Failure{taken.error()};
      std::copy_n(taken->begin(), taken->size(), range.payload.emplace<Fingerprint>().begin());
      return range;
    }
    case Mode::Listed: {
      const auto count = read_varint(bytes_);
      if (!count) return core::Failure{count.error()};
      if (*count > bytes_.size() / sizeof(Id)) return core::Failure{BadMessage::Truncated};
      const auto taken = take(*count * sizeof(Id));
      if (!taken) return core::Failure{taken.error()};
      range.payload = IdList{*taken};
      return range;
    }
  }
  CHECK(false);
}

core::Result<std::string_view, BadMessage> RangeReader::take(std::size_t count) {
  if (count > bytes_.size()) return core::Failure{BadMessage::Truncated};
  const auto taken = bytes_.substr(0, count);
  bytes_.remove_prefix(count);
  return taken;
}

}  // namespace graspd::negentropy
