#include "negentropy/reply.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "negentropy/varint.h"

namespace graspd::negentropy {
namespace {

// Sixteen children per round, and no split into less than two items each: as the other
// implementations do, so that both sides cut a range alike.
constexpr std::size_t kBuckets = 16;
constexpr std::size_t kSplitMin = 2 * kBuckets;

// Every range may need a skip before it.
constexpr std::size_t kHeaderBytesMax = 2 * (kBoundBytesMax + 1);
constexpr std::size_t kFingerprintBytesMax = kHeaderBytesMax + sizeof(Fingerprint);
constexpr std::size_t kListBytesMax =
    kHeaderBytesMax + kVarintBytesMax + (kSplitMin - 1) * sizeof(Id);
static_assert(1 + kListBytesMax + kFingerprintBytesMax <= kFrameMin);
static_assert(1 + (kBuckets + 1) * kFingerprintBytesMax <= kFrameMin);

}  // namespace

Reply::Reply(const ItemSet& items, std::size_t frame_max)
    : items_(items),
      frame_max_(frame_max == 0 ? std::numeric_limits<std::size_t>::max()
                                : std::max(frame_max, kFrameMin)),
      out_(1, static_cast<char>(kVersion)) {}

void Reply::split(const Section& section) {
  if (section.size() < kSplitMin) return list(section);
  const std::size_t share = section.size() / kBuckets;
  const std::size_t larger = section.size() % kBuckets;
  Section bucket{section.lower, section.lower, section.begin, section.begin};
  for (std::size_t i = 0; i < kBuckets; ++i) {
    bucket.lower = bucket.upper;
    bucket.begin = bucket.end;
    bucket.end += share + (i < larger ? 1 : 0);
    bucket.upper = bucket.end == section.end
                       ? section.upper
                       : Bound::between(items_[bucket.end - 1], items_[bucket.end]);
    fingerprint(bucket);
  }
}

void Reply::list(const Section& section) {
  constexpr std::size_t kEmptyListBytesMax = kHeaderBytesMax + kVarintBytesMax;
  if (full() || room() < kEmptyListBytesMax) return leave_open(section);
  const std::size_t fitting = (room() - kEmptyListBytesMax) / sizeof(Id);
  if (section.size() <= fitting) return write_ids(section);
  if (fitting == 0) return leave_open(section);

  Section head = section;
  head.end = section.begin + fitting;
  head.upper = Bound::between(items_[head.end - 1], items_[head.end]);
  write_ids(head);
  leave_open(Section{head.upper, section.upper, head.end, section.end});
}

std::string Reply::finish() && {
  if (rest_) {
    rest_->end = find_bound(items_, rest_->begin, rest_->upper);
    write_fingerprint(*rest_);
  }
  return std::move(out_);
}

void Reply::fingerprint(const Section& section) {
  if (full() || room() < kFingerprintBytesMax) return leave_open(section);
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

std::size_t Reply::room() const { return frame_max_ - out_.size() - kFingerprintBytesMax; }

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
