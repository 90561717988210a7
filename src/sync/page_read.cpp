#include "sync/page_read.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/check.h"

namespace graspd::sync {
namespace {

constexpr std::array<std::uint64_t, 8> kUsualCaps = {1000, 500, 300, 250, 200, 100, 50, kCapMin};
constexpr std::uint64_t kPagesMax = 100'000;  // R4: nobody has fifty million events of one filter
// What people write about repositories; asked for one by one only when a single value holds more
// in one second than a page does.
constexpr std::array<std::uint16_t, 18> kThreadKinds = {
    1, 5, 6, 7, 16, 1111, 1617, 1618, 1619, 1621, 1622, 1630, 1631, 1632, 1633, 1985, 9735, 30618};
// A relay that cuts off so early each time is believed to its last event: else it is never read.
constexpr std::uint32_t kStalledMax = 3;

}  // namespace

PageRead::PageRead(nostr::Filter filter, Window window, PageLimits limits, std::size_t held_back)
    : filter_(std::move(filter)), window_(window), limits_(limits), held_back_(held_back) {}

nostr::Filter PageRead::ask() const {
  if (second_) {
    CHECK(!parts_.empty());
    return parts_.back();
  }
  nostr::Filter filter = filter_;
  filter.since = window_.since;
  filter.until = window_.until;
  filter.limit = limits_.page;
  return filter;
}

bool PageRead::arrived(const nostr::EventId& id, core::UnixSeconds created_at) {
  const bool is_first_copy = page_.ids.insert(id).second;
  if (second_) {
    page_.above_cursor |= created_at != *second_;
    of_other_kinds_.erase(id);
    return of_second_.insert(id).second;
  }
  page_.above_cursor |= window_.until && created_at > *window_.until;
  if (!is_first_copy) return false;
  page_.newest_first &= page_.events.empty() || created_at <= page_.events.back().at;
  page_.events.push_back({created_at, id});
  const bool is_fresh = !seen_.contains(id);
  page_.has_fresh |= is_fresh;
  return is_fresh;
}

void PageRead::strayed(core::UnixSeconds created_at) {
  page_.above_cursor |= window_.until && created_at > *window_.until;
}

std::string PageRead::failure() const {
  if (!failure_.empty()) return failure_;
  return done_ && !capped_.empty() ? "a second holds more than a page" : "";
}

void PageRead::ended(nostr::Completeness completeness, AnswerSize& answers, core::Instant at) {
  ++pages_;
  end_refuted();                                   // it was asked for alone
  if (page_.above_cursor || pages_ > kPagesMax) {  // R4
    failure_ = "does not honour until";
  } else if (second_) {
    end_part(completeness, answers, at);
  } else {
    if (page_.count() > 0 && !whole_) page_at_ = at;
    end_main_page(completeness, answers);
  }
  page_ = {};
}

bool PageRead::is_full(nostr::Completeness completeness, const AnswerSize& answers) const {
  if (completeness != nostr::Completeness::Unknown)
    return completeness == nostr::Completeness::More;
  const std::uint64_t asked = second_ ? *parts_.back().limit : limits_.page;
  const std::size_t count = page_.count(), slack = answers.slack();
  if (count >= asked || is_held_back(count)) return true;
  // More than a cap that is known, and no round number: it is not that it gives no more.
  const bool honoured =
      answers.largest >= kCapMin && count > answers.largest + slack && count % 50 != 0;
  const std::size_t least = answers.is_cap ? 1 : 2;  // a lone event is most often just that
  return count > 0 && !honoured && count + slack >= std::max(answers.largest, least);
}

bool PageRead::lower_limit() {
  if (second_ && *parts_.back().limit > limits_.page) {
    limits_.second = limits_.page;
  } else {
    const auto lower = std::find_if(kUsualCaps.begin(), kUsualCaps.end(),
                                    [&](std::uint64_t cap) { return cap < limits_.page; });
    if (lower == kUsualCaps.end()) return false;
    limits_ = {.page = *lower, .second = *lower};
  }
  for (nostr::Filter& part : parts_) part.limit = limits_.second;
  return true;
}

void PageRead::end_main_page(nostr::Completeness completeness, AnswerSize& answers) {
  const std::size_t count = page_.count();
  if (completeness == nostr::Completeness::Finished || count == 0) {
    if (completeness == nostr::Completeness::More)
      failure_ = "says there is more, and gives nothing";
    if (completeness == nostr::Completeness::Unknown && whole_)
      answers.trust(last_count_, page_at_);  // R8
    done_ = failure_.empty();
    return;
  }
  const std::size_t before = std::exchange(last_count_, count);
  const bool held_back = before >= count && before >= answers.largest && page_.has_fresh;
  if (before > 0 && (held_back || whole_)) answers.holds_back_at(before);
  const bool was_short = before > 0 && before < limits_.page;
  if (was_short && (page_.has_fresh || whole_)) held_back_ = before;
  if (count > held_back_ + kStrays) held_back_ = 0;
  if (const auto second = std::exchange(whole_, std::nullopt)) return doubt(*second);
  const bool full = is_full(completeness, answers);
  answers.saw(count);
  std::stable_sort(page_.events.begin(), page_.events.end(),
                   [](const Arrival& a, const Arrival& b) { return a.at > b.at; });
  if (!full) return look_below(answers);
  const bool is_capped = count >= limits_.page || (answers.is_cap && count >= answers.largest);
  const core::UnixSeconds last = page_.events.back().at;
  const bool may_end = completeness == nostr::Completeness::Unknown && !is_capped &&
                       !proof_failed_ && page_.newest_first && last > window_.since.value_or(0) &&
                       last < page_.events.front().at;
  go_on(may_end);
  if (may_end) edge_ = last;  // R7
}

PageRead::End PageRead::end() const {
  if (done_ || second_) return End::NotYet;
  if (whole_) return End::EmptyPage;
  return edge_ ? End::NothingNew : End::NotYet;
}

nostr::Filter PageRead::ask_below() const {
  nostr::Filter filter = ask();
  if (edge_) filter.until = *edge_ - 1;
  return filter;
}

nostr::Filter PageRead::ask_edge() const {
  CHECK(edge_);
  nostr::Filter filter = ask();
  filter.since = edge_;
  return filter;
}

// R1
void PageRead::go_on(bool may_end) {
  const auto& events = page_.events;
  const std::size_t last = events.size() - 1;
  const std::size_t sure = last < 2 ? 0 : page_.newest_first ? last - 1 : events.size() / 2;
  const core::UnixSeconds next = events[sure].at;
  if (next < events.front().at || may_end) return move_cursor(next);
  for (const Arrival& one : events) {
    if (one.at == next) of_second_.insert(one.id);
  }
  enter_second(next);
}

void PageRead::move_cursor(core::UnixSeconds until) {
  seen_.clear();
  for (const Arrival& one : page_.events) {
    if (one.at <= until) seen_.insert(one.id);
  }
  window_.until = std::max<core::UnixSeconds>(until, 0);  // R6
}

void PageRead::look_below(AnswerSize& answers) {
  move_cursor(page_.events.back().at);
  whole_ = window_.until;
  done_ = *window_.until <= window_.since.value_or(0);
  if (done_) answers.trust(last_count_, page_at_);  // R8
  if (!done_) --*window_.until;
}

// There was more below: its last second may be there in part only.
void PageRead::doubt(core::UnixSeconds second) {
  if (doubted_ == second) return enter_second(second);
  doubted_ = window_.until = second;
}

void PageRead::enter_second(core::UnixSeconds second) {
  second_ = second;
  nostr::Filter whole = filter_;
  whole.since = whole.until = second;
  whole.limit = std::max(limits_.second, limits_.page);
  parts_ = {std::move(whole)};
  is_whole_part_ = true;
}

void PageRead::end_part(nostr::Completeness completeness, AnswerSize& answers, core::Instant at) {
  const nostr::Filter& part = parts_.back();
  const std::size_t count = page_.count();
  // Of the whole second, something that came before did not: that is all it gives at a time.
  const bool is_whole = std::exchange(is_whole_part_, false);
  if (is_whole && count > 0 && count < of_second_.size()) answers.holds_back_at(count);
  const bool full = is_full(completeness, answers);
  answers.saw(count);
  whole_second_ = std::max(whole_second_, count);
  if (of_second_.size() > whole_second_ && whole_second_ == answers.largest) answers.is_cap = true;
  auto smaller = full ? split(part) : std::vector<nostr::Filter>{};
  const bool is_guess = !smaller.empty() && !part.kinds && smaller.front().kinds;
  if (is_guess) of_other_kinds_.merge(page_.ids);
  // A few events that share all that can be asked for are no gap unless the relay holds back with
  // so many, or says that there is more.
  const bool is_many = is_held_back(count) ||
                       (answers.is_cap ? count >= answers.largest
                                       : count >= std::min<std::uint64_t>(kCapMin, *part.limit));
  const bool is_capped = full && (completeness == nostr::Completeness::More || is_many);
  if (smaller.empty() && is_capped) {
    if (count < *part.limit) held_back_ = count;
    capped_.push_back(*second_);
  }
  if (smaller.empty() && !is_capped && completeness == nostr::Completeness::Unknown) {
    answers.trust(count, at);  // R8
  }
  parts_.pop_back();
  std::move(smaller.begin(), smaller.end(), std::back_inserter(parts_));
  if (parts_.empty()) leave_second();
}

void PageRead::leave_second() {
  const core::UnixSeconds below = *second_ - 1;
  const bool is_noted = !capped_.empty() && capped_.back() == *second_;
  if (!of_other_kinds_.empty() && !is_noted) capped_.push_back(*second_);
  second_.reset();
  whole_second_ = 0;
  of_second_.clear();
  of_other_kinds_.clear();
  seen_.clear();
  done_ = below < window_.since.value_or(0);
  if (!done_) window_.until = below;
}

std::vector<nostr::Filter> PageRead::split(const nostr::Filter& part) const {
  std::vector<nostr::Filter> out;
  const auto by_kind = [&](nostr::Kind kind) {
    out.push_back(part);
    out.back().kinds = std::vector<nostr::Kind>{kind};
  };
  if (part.kinds && part.kinds->size() > 1) {
    for (const nostr::Kind kind : *part.kinds) by_kind(kind);
  } else if (!part.tags.empty() && part.tags[0].values.size() > 1) {
    const auto& values = part.tags[0].values;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    out.assign(2, part);
    out[0].tags[0].values.assign(values.begin(), middle);
    out[1].tags[0].values.assign(middle, values.end());
  } else if (!part.kinds) {
    for (const std::uint16_t kind : kThreadKinds) by_kind({kind});
  }
  return out;
}

void PageRead::broken() {
  edge_.reset();
  if (!second_ && !page_.events.empty() && !page_.above_cursor) {
    if (const auto second = std::exchange(whole_, std::nullopt)) {
      doubt(*second);
    } else if (page_.newest_first) {  // R5
      const auto& events = page_.events;
      const core::UnixSeconds last = events.back().at;
      const core::UnixSeconds sure = events.size() > 1 ? events[events.size() - 2].at : last;
      const bool gets_on = events.size() > 1 && (!window_.until || sure < *window_.until);
      stalled_ = gets_on ? 0 : stalled_ + 1;
      if (gets_on) move_cursor(sure);
      if (stalled_ >= kStalledMax) move_cursor(last);
    }
  }
  page_ = {};
}

void PageRead::discarded() { page_ = {}; }

std::vector<Window> PageRead::left() const {
  std::vector<Window> out;
  out.reserve(capped_.size() + 1);
  for (const core::UnixSeconds second : capped_) {
    if (out.empty() || out.back().until != second) out.push_back({second, second});
  }
  if (done_) return out;
  out.push_back(window_);
  // What comes next may lie below a second that is being read in parts, or that looked whole: it is
  // read with the proof of the end only.
  auto& until = out.back().until;
  for (const auto& open : {second_, whole_}) {
    if (open && until) until = std::max(*until, *open);
  }
  return out;
}

}  // namespace graspd::sync
