// One sync with one relay as a dialogue without a socket: what we send to it, what we pass to our
// own intake, and when it is done. History is read as proactive sync reads it (HistoryDialogue).
//
//   R1  If the relay supports NIP-77, each filter is reconciled, and missing events are fetched by
//       id at the same time. Otherwise the filter is read page by page.
//   R2  A set that is too large, theirs or ours, is split by time; other refusals lead to pages.
//   R3  Every request ends exactly once: by its answer, a refusal, or the end of the connection.
//       The next connection continues where the last one ended.
//   R4  An id that the relay listed and did not deliver is requested once more; then it counts as
//       undelivered. A relay that delivers hardly any of them is read page by page instead.
//   R5  What the relay lacks is sent when its set is known: reconciled, or read to the end.
//   R6  Nothing is requested while much is at the intake, while the relay wants us to slow down, or
//       while it authenticates us (NIP-42, once per connection).
//   R7  If nothing makes progress for the inactivity limit, the sync gives up. Pauses that the
//       relay asked for do not count.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/sync_once/history_dialogue.h"
#include "app/sync_once/sync_report.h"
#include "app/sync_once/sync_request.h"
#include "app/sync_once/sync_uploads.h"
#include "nostr/outcome.h"

namespace graspd::app {

// What our intake made of an event.
struct Judgement {
  nostr::EventId id;
  nostr::Outcome outcome = nostr::Outcome::Failed;
  std::string text;
};

class OneShotSync : private HistoryOwner {
 public:
  struct Terms {
    SyncRequest wish;
    std::optional<sync::PeerInformation> peer;  // what its NIP-11 says
    AnswerChallenge answer;
    Notice notice;
    bool negentropy = true;  // false: only pages
    // Larger sets of ours are split before they are sent: most relays stop there too.
    std::uint64_t items_max = 1'000'000;
  };
  OneShotSync(Terms terms, const Inventory& inventory, core::Now now);

  void connected(core::Now now);
  void disconnected(core::Now now);
  void hear(core::Now now, nostr::RelayMessage message);
  void judged(core::Now now, const Judgement& judgement);
  void tick(core::Now now);
  // Asks for nothing more, and waits a moment for what is at the intake.
  void stop(core::Now now);
  void give_up(core::Now now, std::string_view why) override;

  Frames take_words();                                                            // for the relay
  std::vector<nostr::Event> take_events() { return std::exchange(events_, {}); }  // for the intake

  bool finished() const;
  bool is_ending() const { return ended_at_.has_value(); }  // stopped or given up
  bool has_moved() const { return moved_; }                 // something, on this connection
  OneShotReport& report();                                  // so far
  OneShotReport final_report() const;
  SyncStanding standing() const;

 private:
  // ---- HistoryOwner
  std::optional<nostr::Outcome> arrived(sync::Sub sub, nostr::Event event, bool by_id) override;
  void unasked() override;
  bool missing(const nostr::EventId& id) override;
  void lacking(const nostr::EventId& id) override;
  void in_both(std::uint64_t count) override { report_.already_here += count; }
  void progressed(core::Now now) override;

  void pump(core::Now now);
  bool may_request() const;  // R6
  bool awaits() const;
  nostr::Outcome count(const Judgement& judgement);
  void compare_seen(core::Now now);  // R5
  void send_uploads(core::Now now);
  void upload_answered(core::Now now, const nostr::relay_said::Ok& in);
  void add_reading(OneShotReport& report) const;

  const Terms terms_;
  const Inventory& inventory_;
  HistoryDialogue history_;
  std::map<nostr::EventId, std::vector<sync::Sub>> at_intake_;  // and which requests brought it
  std::set<nostr::EventId> handed_, missing_;
  std::set<nostr::EventId> seen_;  // on pages, when we upload
  bool is_compared_ = false;
  SyncUploads uploads_;

  bool connected_ = false, moved_ = false;
  core::Instant progressed_at_;
  std::optional<core::Instant> ended_at_;
  core::Instant now_;

  Frames words_;
  std::vector<nostr::Event> events_;
  OneShotReport report_;
};

}  // namespace graspd::app
