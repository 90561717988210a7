#include "negentropy/reconciler.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "negentropy/bound.h"
#include "negentropy/range_reader.h"
#include "negentropy/reply.h"
#include "negentropy/survey.h"

namespace graspd::negentropy {
namespace {

// Version bytes are 0x60 plus the version; anything else is not this protocol.
bool is_version(std::uint8_t byte) { return byte >= 0x60 && byte <= 0x6f; }

// The section that begins where `last` ends.
Section following(const ItemSet& items, const Section& last, const Bound& upper) {
  return {last.upper, upper, last.end, find_bound(items, last.end, upper)};
}

// Each side has its own way with a list of ids; where fingerprints differ, both split.
template <class OnIds>
void answer(const ItemSet& items, std::string_view message, const Survey& survey, Reply& reply,
            OnIds on_ids) {
  Section section;
  std::size_t index = 0;
  for (RangeReader ranges(message); !ranges.done(); ++index) {
    const auto range = ranges.next();
    CHECK(range);  // as surveyed
    if (reply.full()) {
      if (survey.open[index]) reply.leave_open_to(range->upper);
      continue;
    }
    section = following(items, section, range->upper);
    if (const auto* ids = std::get_if<IdList>(&range->payload)) {
      on_ids(section, *ids);
    } else if (survey.open[index]) {
      reply.split(section);
    }
  }
}

// Equal lists need no answer. Other orders than ours do not count as equal: that costs an answer,
// not correctness.
bool same_ids(const ItemSet& ours, const Section& section, const IdList& theirs) {
  if (section.size() != theirs.size()) return false;
  for (std::size_t i = 0; i < theirs.size(); ++i)
    if (ours[section.begin + i].id != theirs[i]) return false;
  return true;
}

std::vector<Id> sorted(const IdList& list) {
  std::vector<Id> ids(list.size());
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = list[i];
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

}  // namespace

Responder::Responder(std::shared_ptr<const ItemSet> items, Options options)
    : items_(std::move(items)), options_(options) {
  CHECK(items_);
}

core::Result<std::string, BadMessage> Responder::respond(std::string_view message) const {
  if (message.empty()) return core::Failure{BadMessage::Truncated};
  const auto version = static_cast<std::uint8_t>(message.front());
  if (!is_version(version)) return core::Failure{BadMessage::Version};
  if (version != kVersion) return std::string(1, static_cast<char>(kVersion));

  const std::string_view ranges = message.substr(1);
  const auto open = survey(*items_, ranges);
  if (!open) return core::Failure{open.error()};
  Reply reply(*items_, options_.frame_max, responder_split(*open, options_.frame_max));
  const auto on_ids = [&](const Section& section, const IdList& theirs) {
    if (!same_ids(*items_, section, theirs)) reply.list(section);
  };
  answer(*items_, ranges, *open, reply, on_ids);
  return std::move(reply).finish();
}

Initiator::Initiator(std::shared_ptr<const ItemSet> items, Options options)
    : items_(std::move(items)), options_(options) {
  CHECK(items_);
  reported_.resize(items_->size());
}

std::string Initiator::initial_message() const {
  Reply message(*items_, options_.frame_max);
  message.split(Section{Bound{}, Bound::infinity(), 0, items_->size()});
  return std::move(message).finish();
}

core::Result<Initiator::Step, BadMessage> Initiator::reconcile(std::string_view message) {
  if (message.empty()) return core::Failure{BadMessage::Truncated};
  const auto version = static_cast<std::uint8_t>(message.front());
  if (version != kVersion) return core::Failure{BadMessage::Version};

  Step step;
  const std::string_view ranges = message.substr(1);
  const auto open = survey(*items_, ranges);
  if (!open) return core::Failure{open.error()};
  Reply reply(*items_, options_.frame_max, initiator_split());
  const auto on_ids = [&](const Section& section, const IdList& theirs) {
    learn(section, theirs, step);
  };
  answer(*items_, ranges, *open, reply, on_ids);
  if (needed_.size() > options_.need_max) return core::Failure{BadMessage::TooManyIds};
  if (!reply.settled()) step.next = std::move(reply).finish();
  return step;
}

void Initiator::learn(const Section& section, const IdList& theirs, Step& step) {
  const std::vector<Id> listed = sorted(theirs);
  std::vector<bool> known(listed.size());
  for (std::size_t i = section.begin; i < section.end; ++i) {
    const Id& id = (*items_)[i].id;
    const auto at = std::lower_bound(listed.begin(), listed.end(), id);
    if (at != listed.end() && *at == id) {
      known[static_cast<std::size_t>(at - listed.begin())] = true;
    } else if (!reported_[i]) {
      reported_[i] = true;
      step.have.push_back(id);
    }
  }
  for (std::size_t i = 0; i < listed.size(); ++i)
    if (!known[i] && needed_.insert(listed[i]).second) step.need.push_back(listed[i]);
}

}  // namespace graspd::negentropy
