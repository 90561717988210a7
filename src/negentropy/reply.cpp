#include "negentropy/reply.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "negentropy/varint.h"

namespace graspd::negentropy {
namespace {

// Every range may need a skip before it.
constexpr std::size_t kHeaderBytesMax = 2 * (kBoundBytesMax + 1);
constexpr std::size_t kFingerprintBytesMax = kHeaderBytesMax + sizeof(Fingerprint);
// A message of the least size holds a split or a list of the usual kind, and the rest.
constexpr std::size_t kListBytesMax =
    kHeaderBytesMax + kVarintBytesMax + Split{}.list_max * sizeof(Id);
static_assert(1 + kListBytesMax + kFingerprintBytesMax <= kFrameMin);
static_assert(1 + (Split{}.parts_min + 1) * kFingerprintBytesMax <= kFrameMin);

// Parts of the rest take this share of a frame at most; they are many only where frames are large.
constexpr std::size_t kRestShare = 16;
// What a fingerprint takes as a rule; the worst is kFingerprintBytesMax.
constexpr std::size_t kFingerprintBytes = 26;

}  // namespace

Reply::Reply(const ItemSet& items, std::size_t frame_max, Split split)
    : items_(items),
      frame_max_(frame_max == 0 ? std::numeric_limits<std::size_t>::max()
                                : std::max(frame_max, kFrameMin)),
      split_(split),
      out_(1, static_cast<char>(kVersion)) {}

void Reply::split(const Section& section) {
  if (section.size() <= split_.list_max) return list(section);
  const std::size_t parts = parts_of(section.size());
  const std::size_t share = section.size() / parts;
  const std::size_t larger = section.size() % parts;
  Section part{section.lower, section.lower, section.begin, section.begin};
  for (std::size_t i = 0; i < parts; ++i) {
    if (full()) return leave_open_to(section.upper);
    part =
        head_of({part.upper, section.upper, part.end, section.end}, share + (i < larger ? 1 : 0));
    fingerprint(part);
  }
}

std::size_t Reply::parts_of(std::size_t items) const {
  const std::size_t fine = items <= split_.fine_max ? (items - 1) / split_.part_items + 1 : 1;
  const std::size_t least = items >= 2 * split_.parts_min ? split_.parts_min : 2;
  return std::min(std::max(fine, least), items);
}

// Its first `count` items; all of it when it has no more.
Section Reply::head_of(const Section& section, std::size_t count) const {
  Section head = section;
  if (count >= section.size()) return head;
  head.end = section.begin + count;
  head.upper = Bound::between(items_[head.end - 1], items_[head.end]);
  return head;
}

void Reply::list(const Section& section) {
  constexpr std::size_t kEmptyListBytesMax = kHeaderBytesMax + kVarintBytesMax;
  if (full() || space() < kEmptyListBytesMax) return leave_open(section);
  const std::size_t fitting = (space() - kEmptyListBytesMax) / sizeof(Id);
  if (section.size() <= fitting) return write_ids(section);
  if (fitting == 0) return leave_open(section);

  const Section head = head_of(section, fitting);
  write_ids(head);
  leave_open(Section{head.upper, section.upper, head.end, section.end});
}

std::string Reply::finish() && {
  if (rest_) write_rest();
  return std::move(out_);
}

void Reply::write_rest() {
  Section left = *rest_;
  left.end = find_bound(items_, left.begin, left.upper);
  const std::size_t last = frame_max_ - kFingerprintBytesMax;  // that of what remains still fits
  for (std::size_t i = 0; i < split_.rest_parts && left.size() > split_.part_items &&
                          out_.size() + kFingerprintBytesMax <= last;
       ++i) {
    const Section part = head_of(left, split_.part_items);
    write_fingerprint(part);
    left.lower = part.upper;
    left.begin = part.end;
  }
  write_fingerprint(left);
}

void Reply::fingerprint(const Section& section) {
  if (full() || space() < kFingerprintBytesMax) return leave_open(section);
  write_fingerprint(section);
}

void Reply::leave_open_to(const Bound& upper) {
  CHECK(full());
  rest_->upper = upper;
}

void Reply::leave_open(const Section& section) {
  if (!full()) rest_ = section;
  leave_open_to(section.upper);
}

std::size_t Reply::space() const {
  const std::size_t taken = out_.size() + kFingerprintBytesMax + rest_bytes();
  return frame_max_ > taken ? frame_max_ - taken : 0;
}

std::size_t Reply::rest_bytes() const {
  return std::min(split_.rest_parts * kFingerprintBytes, frame_max_ / kRestShare);
}

void Reply::begin_range(const Section& section, Mode mode) {
  if (written_to_ < section.lower) {
    append_bound(out_, timestamp_, section.lower);
    append_varint(out_, static_cast<std::uint64_t>(Mode::Skipped));
  }
  append_bound(out_, timestamp_, section.upper);
  append_varint(out_, static_cast<std::uint64_t>(mode));
  written_to_ = section.upper;
}

void Reply::write_fingerprint(const Section& section) {
  begin_range(section, Mode::Fingerprinted);
  const Fingerprint print = items_.fingerprint(section.begin, section.end);
  out_.append(reinterpret_cast<const char*>(print.data()), print.size());
}

void Reply::write_ids(const Section& section) {
  begin_range(section, Mode::Listed);
  append_varint(out_, section.size());
  for (std::size_t i = section.begin; i < section.end; ++i) {
    const Id& id = items_[i].id;
    out_.append(reinterpret_cast<const char*>(id.data()), id.size());
  }
}

}  // namespace graspd::negentropy
