// A message being written: what is still open between the two sides, in ascending order.
//
//   R1  A message never exceeds the frame limit. What does not fit is covered by fingerprints,
//       from the first section that did not fit to the end of the last one, so that the other side
//       asks for it again.
//   R2  Sections that are not mentioned are settled: one skip covers all that lie between two
//       open ones, and what follows the last needs none.
//   R3  A section of many items is split into fingerprints, one of few is listed. What is many and
//       into how many parts is for the Split to say.
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

// How sections that differ are cut. The default is what the other implementations do.
struct Split {
  std::size_t list_max = 31;          // a section of at most so many items is listed
  std::size_t parts_min = 16;         // of a section of at least twice as many items; 2 below that
  std::size_t part_items = SIZE_MAX;  // more parts than the least, until they are this small
  std::size_t fine_max = SIZE_MAX;    // in sections of at most so many items
  // Into how many parts of `part_items`, and one more for what remains, the rest is cut (R1).
  std::size_t rest_parts = 0;
};

class Reply {
 public:
  // `frame_max` in bytes; 0: no limit. `items` must outlive the reply.
  Reply(const ItemSet& items, std::size_t frame_max, Split split = {});

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
  std::size_t parts_of(std::size_t items) const;
  Section head_of(const Section& section, std::size_t count) const;
  void write_rest();
  std::size_t rest_bytes() const;
  std::size_t space() const;
  void begin_range(const Section& section, Mode mode);
  void write_fingerprint(const Section& section);
  void write_ids(const Section& section);

  const ItemSet& items_;
  std::size_t frame_max_;
  Split split_;
  std::string out_;
  std::uint64_t timestamp_ = 0;
  Bound written_to_;
  std::optional<Section> rest_;  // its end is found when all of it is known
};

}  // namespace graspd::negentropy
