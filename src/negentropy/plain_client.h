// For tests and benchmarks: an initiator as the other implementations have it. It cuts every range
// into 16 and lists its ids where it has less than 32.
#pragma once
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "core/check.h"
#include "negentropy/bound.h"
#include "negentropy/range_reader.h"
#include "negentropy/reply.h"

namespace graspd::negentropy {

class PlainClient {
 public:
  PlainClient(const ItemSet& items, std::size_t frame_max) : items_(items), frame_max_(frame_max) {}

  std::string initial_message() const {
    Reply message(items_, frame_max_);
    message.split({Bound{}, Bound::infinity(), 0, items_.size()});
    return std::move(message).finish();
  }

  // The next message; nothing when finished.
  std::optional<std::string> reconcile(std::string_view message) {
    Reply reply(items_, frame_max_);
    Section section;
    for (RangeReader ranges(message.substr(1)); !ranges.done();) {
      const auto range = ranges.next();
      CHECK(range);
      section = {section.upper, range->upper, section.end,
                 find_bound(items_, section.end, range->upper)};
      if (const auto* theirs = std::get_if<Fingerprint>(&range->payload)) {
        if (*theirs != items_.fingerprint(section.begin, section.end)) reply.split(section);
      } else if (const auto* ids = std::get_if<IdList>(&range->payload)) {
        learn(section, *ids);
      }
    }
    if (reply.settled()) return std::nullopt;
    return std::move(reply).finish();
  }

  const std::set<Id>& have() const { return have_; }
  const std::set<Id>& need() const { return need_; }

 private:
  void learn(const Section& section, const IdList& list) {
    std::set<Id> theirs;
    for (std::size_t i = 0; i < list.size(); ++i) theirs.insert(list[i]);
    for (std::size_t i = section.begin; i < section.end; ++i)
      if (theirs.erase(items_[i].id) == 0) have_.insert(items_[i].id);
    need_.merge(theirs);
  }

  const ItemSet& items_;
  const std::size_t frame_max_;
  std::set<Id> have_, need_;
};

}  // namespace graspd::negentropy
