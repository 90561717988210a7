#include "negentropy/survey.h"

#include <algorithm>
#include <limits>

#include "negentropy/bound.h"
#include "negentropy/range_reader.h"

namespace graspd::negentropy {
namespace {

constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();

// Initiators cut a range into 16, so a part of 400 comes back as ranges of 25: those that differ
// are then listed, and those that do not cost a fingerprint each. Smaller parts would make
// initiators list their ids (they do below 32), larger ones list more that is equal.
constexpr std::size_t kResponderPart = 400;
// Listing this many ids is quicker on a long line than one more round, and costs less than it is
// worth on a slow one (4 KB).
constexpr std::size_t kResponderListMax = 128;
// All that is open at once, when it is no more than this: 64 KB against at least one round.
constexpr std::size_t kListedAtOnceMax = 2'000;
// Fingerprints of one answer: a message of 90 KB for millions of items.
constexpr std::size_t kResponderPartsMax = 4'096;

// Evidence of how different the sides are.
constexpr std::size_t kSampleItemsMax = 48;
constexpr std::size_t kSamplesMin = 64;
// Of ten samples, so many must differ before listing all is cheaper than finding what is equal:
// about one item in ten then differs.
constexpr std::size_t kDenseOfTen = 9;
// The answer to more parts than this would not fit the 60,000 bytes that initiators send at most.
constexpr std::size_t kRestPartsMax = 168;

// Twelve ids are fewer than the 32 from which on responders cut instead of listing, even when the
// responder has twice as many as we do.
constexpr std::size_t kInitiatorPart = 12;
constexpr std::size_t kInitiatorPartsMin = 16;  // as others: the responder may have far more
// Larger sections are cut by 16 first. They are what did not fit the responder's last message, or
// a large set at the beginning: fine cuts of them would be sent in vain, message after message.
constexpr std::size_t kInitiatorFineMax = 1'000;
constexpr std::size_t kInitiatorListMax = 2;  // cheaper than two fingerprints

bool is_dense(const Survey& survey) {
  return survey.samples >= kSamplesMin && survey.samples_open * 10 >= survey.samples * kDenseOfTen;
}

// As many as the next message can list, going by the share of samples that differed.
std::size_t rest_parts(const Survey& survey, std::size_t frame_max) {
  if (frame_max == 0 || survey.samples < kSamplesMin) return 0;
  const std::size_t ids = frame_max / sizeof(Id);
  const std::size_t open = std::max<std::size_t>(survey.samples_open, 1);
  return std::min(ids * survey.samples / open / kResponderPart + 1, kRestPartsMax);
}

}  // namespace

core::Result<Survey, BadMessage> survey(const ItemSet& items, std::string_view message) {
  Survey result;
  std::size_t begin = 0;
  for (RangeReader ranges(message); !ranges.done();) {
    const auto range = ranges.next();
    if (!range) return core::Failure{range.error()};
    const std::size_t end = find_bound(items, begin, range->upper);
    bool open = std::holds_alternative<IdList>(range->payload);
    if (const auto* theirs = std::get_if<Fingerprint>(&range->payload)) {
      open = *theirs != items.fingerprint(begin, end);
      if (open) result.items_open += end - begin;
      if (end - begin <= kSampleItemsMax) {
        ++result.samples;
        result.samples_open += open;
      }
    }
    result.open.push_back(open);
    begin = end;
  }
  return result;
}

Split responder_split(const Survey& survey, std::size_t frame_max) {
  Split split{.list_max = kResponderListMax, .parts_min = 1, .part_items = kResponderPart};
  split.part_items = std::max(split.part_items, survey.items_open / kResponderPartsMax);
  if (survey.items_open <= kListedAtOnceMax || is_dense(survey)) split.list_max = kAny;
  split.rest_parts = rest_parts(survey, frame_max);
  return split;
}

Split initiator_split() {
  return {.list_max = kInitiatorListMax,
          .parts_min = kInitiatorPartsMin,
          .part_items = kInitiatorPart,
          .fine_max = kInitiatorFineMax};
}

}  // namespace graspd::negentropy
