// Reads the history of one filter page by page (sync.md §6.3), newest first.
//
//   R1  The next page begins where the last one ended: at its last event but one, inclusive; if
//       that was the first, its second is read alone. An event published while the page was being
//       read may come as its last and be old; events between are not skipped because of it. Of a
//       page that is not newest first, only the ordered half is trusted. Repeats are dropped by id
//       and not counted.
//   R2  Ends on a NIP-67 `finish` or an empty page. Never on "fewer than asked": relays cap
//       silently. Below a page that looks whole nothing is expected; when there is more, the relay
//       held back, and the page's last second is read again. Until that is known the second is not
//       read: a read that fails leaves it.
//   R3  A full page of one second is asked for again: that second alone with a larger limit, then
//       by kind where the filter names kinds, then in halves of the tag values down to one, then by
//       the kinds that threads are made of. What is still capped is a gap, and so is a second with
//       events of other kinds: reading goes on below.
//       Full means: as large as was asked for, or as the largest answer this relay gave. A relay
//       that gives less of a second than it gave before holds back.
//   R4  A relay that answers above the cursor, or for ever, is unpageable: the read fails.
//   R5  A page that breaks off moves the cursor as far as it came newest first.
//   R6  `until` never goes below 0.
//   R7  Where a page may be the last, one request asks for both what can be missing: its last two
//       seconds once more (the edge), and all below. If that brings all that is known of the edge
//       and nothing new, the read is over; else it counts for nothing, and reading goes on as in
//       R1.
//   R8  An answer without a hint that is taken for a whole one is noted (AnswerSize::trusted): the
//       relay may turn out to give no more than that at a time, and then it was none.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "nostr/filter.h"
#include "nostr/message.h"
#include "sync/window.h"

namespace graspd::sync {

// The smallest cap found in the field is 100; below a fifth of that, an answer is just small unless
// the relay was seen to hold back.
inline constexpr std::size_t kCapMin = 20;

// So many events that were published just then may have come with the largest answer.
inline constexpr std::size_t kStrays = 2;

// What a relay gives in one answer, as far as it has shown.
struct AnswerSize {
  std::size_t largest = 0;
  bool is_cap = false;      // with an answer of that size it held back
  std::size_t at_once = 0;  // the most that came by id, or for a filter of a sweep
  std::size_t trusted = 0;  // the largest that was taken for whole, since the last fresh start
  // When the oldest of those came that no larger answer has vouched for yet.
  std::optional<core::Instant> trusted_at;
  bool strays = false;  // it sends what was not asked for: any answer may have some of it

  std::size_t slack() const { return strays || is_cap || largest >= kCapMin ? kStrays : 0; }
  // It gives that many at a time, whatever came between.
  std::size_t proven() const { return largest > kStrays ? largest - kStrays : 0; }
  void saw(std::size_t count) {
    if (count <= largest + (is_cap ? slack() : 0)) return;
    largest = count;
    is_cap = false;
  }
  // Other than by a page: it does not hold back with fewer any more.
  void gave(std::size_t count) { is_cap &= count <= largest + kStrays; }
  void holds_back_at(std::size_t count) {
    const bool is_the_same = is_cap && count <= largest + kStrays;
    largest = is_the_same ? std::min(largest, count) : count;
    is_cap = true;
  }
  void trust(std::size_t count, core::Instant at) {
    trusted = std::max(trusted, count);
    trusted_at = std::min(trusted_at.value_or(at), at);
  }
  void forget_trust() {
    trusted = 0;
    trusted_at.reset();
  }
  // What was taken for whole was as large as the relay's answers get.
  bool is_trust_misplaced() const { return is_cap && trusted >= largest; }
  // So many may be all that it gives at a time, strays among them.
  std::size_t doubtful() const { return trusted + (strays ? kStrays : 0); }
  // It never gave more than what was taken for whole: that may be all it gives at a time.
  bool is_trust_open() const {
    return trusted > 0 && !is_cap && doubtful() >= std::max(largest, at_once);
  }
};

struct PageLimits {
  std::uint64_t page = 500;
  std::uint64_t second = 5000;  // of the larger request of R3
  bool operator==(const PageLimits&) const = default;
};

class PageRead {
 public:
  // `held_back`: an earlier read saw that the relay gives no more than so few.
  PageRead(nostr::Filter filter, Window window, PageLimits limits, std::size_t held_back = 0);

  // The filter to send now; each is followed by arrivals and then ended() or broken().
  nostr::Filter ask() const;
  // True when it is new to this read.
  bool arrived(const nostr::EventId& id, core::UnixSeconds created_at);
  void strayed(core::UnixSeconds created_at);  // came for this read but did not match
  // `answers`: of this relay.
  void ended(nostr::Completeness completeness, AnswerSize& answers, core::Instant at = {});
  void broken();
  void discarded();  // what came is not here: the page is asked for again
  // The relay does not take so large a limit; false when it is small already.
  bool lower_limit();
  const PageLimits& limits() const { return limits_; }

  bool is_done() const { return done_; }
  // All that is missing is proof of the end: an empty page, or (R7) one with nothing new.
  enum class End : std::uint8_t { NotYet, EmptyPage, NothingNew };
  End end() const;
  nostr::Filter ask_below() const;                         // what must be empty
  nostr::Filter ask_edge() const;                          // R7: and what must bring nothing new
  std::size_t page_size() const { return page_.count(); }  // so far, each event once
  bool has_seen(const nostr::EventId& id) const { return seen_.contains(id); }
  const std::set<nostr::EventId>& seen() const { return seen_; }  // R7: what the edge repeats
  void end_proved() { done_ = true; }                             // R7
  void end_refuted() {
    proof_failed_ |= edge_.has_value();
    edge_.reset();
  }
  std::string failure() const;  // empty when there is none
  // What is unread: the rest of the window, and seconds that stayed capped.
  std::vector<Window> left() const;
  std::uint64_t pages() const { return pages_; }
  std::size_t held_back() const { return held_back_; }

 private:
  struct Arrival {
    core::UnixSeconds at = 0;
    nostr::EventId id;
  };
  struct Page {
    std::vector<Arrival> events;  // not of a part of a second; as they came
    std::set<nostr::EventId> ids;
    bool newest_first = true, above_cursor = false, has_fresh = false;
    std::size_t count() const { return ids.size(); }
  };
  void end_main_page(nostr::Completeness completeness, AnswerSize& answers);
  void end_part(nostr::Completeness completeness, AnswerSize& answers, core::Instant at);
  void go_on(bool may_end);
  void move_cursor(core::UnixSeconds until);
  void look_below(AnswerSize& answers);
  void doubt(core::UnixSeconds second);
  void enter_second(core::UnixSeconds second);
  void leave_second();
  bool is_held_back(std::size_t count) const {
    return held_back_ > 0 && count >= held_back_ && count <= held_back_ + kStrays;
  }
  bool is_full(nostr::Completeness completeness, const AnswerSize& answers) const;
  std::vector<nostr::Filter> split(const nostr::Filter& part) const;

  nostr::Filter filter_;
  Window window_;  // until is the cursor
  PageLimits limits_;
  Page page_;
  std::set<nostr::EventId> seen_;  // those that the next page repeats
  // R2: the last second of a page that looked whole, and one that was read again nevertheless.
  std::optional<core::UnixSeconds> whole_, doubted_;
  std::optional<core::UnixSeconds> edge_;  // R7: the last second of a page that may be the last
  std::size_t last_count_ = 0;             // of the page before
  core::Instant page_at_{};                // when that page came
  std::size_t held_back_ = 0;  // a page of so few, fewer than asked for, was not all there was
  // R3: the second that is read in parts, its parts still to be asked for, what was seen of it.
  std::optional<core::UnixSeconds> second_;
  std::vector<nostr::Filter> parts_;
  std::set<nostr::EventId> of_second_, of_other_kinds_;
  bool is_whole_part_ = false;    // all of it is asked for in one request
  std::size_t whole_second_ = 0;  // the most that came of it in one answer
  std::vector<core::UnixSeconds> capped_;
  std::uint64_t pages_ = 0;
  std::uint32_t stalled_ = 0;  // pages that broke off without getting any further
  bool proof_failed_ = false;  // R7
  bool done_ = false;
  std::string failure_;
};

}  // namespace graspd::sync
