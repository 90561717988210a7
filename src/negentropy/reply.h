// A message being written: what is still open between the two sides, in ascending order.
//
//   R1  A message never exceeds the frame limit. What does not fit is covered by one last
//       fingerprint, from the first section that did not fit to the end of the last one, so that
//       the other side asks for it again.
//   R2  Sections that are not mentioned are settled: one skip covers all that lie between two
//       open ones, and what follows the last needs none.
//   R3  A section of many items is split into kBuckets fingerprints, one of few is listed.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "negentropy/bound.h"
#include "negentropy/item_set.h"
#include "negentropy/range_reader.h"

namespace graspd::negentropy {

constexpr std::uint8_t kVersion = 0x61;

// Below this a frame could not hold a split or a list and the fingerprint of the rest.
constexpr std::size_t kFrameMin = 4096;

// A part of the key space and the own items in it.
struct Section {
  Bound lower;
  Bound upper;
  std::size_t begin = 0;
  std::size_t end = 0;

  std::size_t size() const { return end - begin; }
};

class Reply {
 public:
  // `frame_max` in bytes; 0: no limit. `items` must outlive the reply.
  Reply(const ItemSet& items, std::size_t frame_max);

  void split(const Section& section);
  void list(const Section& section);

  bool settled() const { return out_.size() == 1 && !full(); }
  // From here on sections are only left open, whatever they hold: their bounds are enough.
  bool full() const { return rest_.has_value(); }
  void leave_open_to(const Bound& upper);

  std::string finish() &&;

 private:
  void fingerprint(const Section& section);
  void leave_open(const Section& section);
  std::size_t room() const;
  void begin_range(const Section& section, Mode mode);
  void write_fingerprint(const Section& section);
  void write_ids(const Section& section);

  const ItemSet& items_;
  std::size_t frame_max_;
  std::string out_;
  std::uint64_t timestamp_ = 0;
  Bound written_to_;
  std::optional<Section> rest_;  // its end is found when all of it is known
};

}  // namespace graspd::negentropy
