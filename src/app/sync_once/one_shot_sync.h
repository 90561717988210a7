// One sync with one relay as a dialogue without a socket: what we send to it, what we pass to our
// own intake, and when it is done. It uses the parts of proactive sync (sync/).
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
#include <vector>

#include "app/client/relay_dialogue.h"
#include "app/sync_once/sync_inventory.h"
#include "app/sync_once/sync_report.h"
#include "app/sync_once/sync_request.h"
#include "app/sync_once/sync_uploads.h"
#include "negentropy/reconciler.h"
#include "nostr/relay_message.h"
#include "serve/relay/ingest.h"
#include "sync/budget.h"
#include "sync/id_fetch_queue.h"
#include "sync/pace.h"
#include "sync/page_read.h"
#include "sync/refusal.h"

namespace graspd::app {

// What our intake made of an event.
struct Judgement {
  nostr::EventId id;
  nostr::Outcome outcome = nostr::Outcome::Failed;
  std::string text;
};

class OneShotSync {
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
  void give_up(core::Now now, std::string_view why);

  Frames take_words() { return std::exchange(words_, {}); }                       // for the relay
  std::vector<nostr::Event> take_events() { return std::exchange(events_, {}); }  // for the intake

  bool finished() const;
  bool is_ending() const { return ended_at_.has_value(); }  // stopped or given up
  bool has_moved() const { return moved_; }                 // something, on this connection
  OneShotReport& report() { return report_; }
  OneShotReport final_report() const;
  SyncStanding standing() const;

 private:
  // One filter in one window of time.
  struct Piece {
    enum class Phase : std::uint8_t { Ready, Flying, Fetching, Done, Failed };
    nostr::Filter filter;  // without times
    sync::Window window;
    Phase phase = Phase::Ready;
    bool pages_only = false;
    std::optional<sync::PageRead> pages;
    std::set<nostr::EventId> seen;  // on pages, when we upload
    std::uint32_t depth = 0, retries = 0;
    std::size_t asked = 0, waiting = 0, lost = 0;  // ids
    core::Instant not_before{};
  };
  struct Wire {
    enum class Purpose : std::uint8_t { Reconcile, Page, Fetch };
    Purpose purpose = Purpose::Page;
    std::size_t piece = 0;
    core::Instant opened{};
    bool heard = false, ended = false;
    // Reconcile
    std::optional<negentropy::Initiator> initiator;
    std::optional<core::UnixSeconds> middle;
    std::size_t ours = 0, only_ours = 0;
    std::optional<std::string> next;  // waits for the pace
    // Page
    nostr::Filter filter;
    nostr::Completeness completeness = nostr::Completeness::Unknown;
    std::size_t arrived = 0;
    // Fetch
    std::set<nostr::EventId> ids;  // not delivered
    std::size_t unjudged = 0;
  };
  using Wires = std::map<std::string, Wire>;
  enum class Auth : std::uint8_t { Unasked, Wanted, Asked, Accepted, Refused };

  // one_shot_sync_hear.cpp
  void on(core::Now now, nostr::relay_said::Matching& in);
  void on(core::Now now, nostr::relay_said::Ok& in);
  void on(core::Now now, nostr::relay_said::EndOfStored& in);
  void on(core::Now now, nostr::relay_said::Closed& in);
  void on(core::Now now, nostr::relay_said::Notice& in);
  void on(core::Now now, nostr::relay_said::Challenge& in);
  void on(core::Now now, nostr::relay_said::NegMessage& in);
  void on(core::Now now, nostr::relay_said::NegError& in);
  void on(core::Now, nostr::relay_said::Unknown&) {}
  bool arrived_on_page(Wire& wire, const nostr::Event& event);
  void hand_over(const std::string& sub, Wire& wire, nostr::Event event);
  void unasked(core::Now now);
  void upload_answered(core::Now now, const nostr::relay_said::Ok& in);
  void refused(core::Now now, Wires::iterator at, const std::string& text,
               std::optional<std::uint64_t> cap);
  bool comply(core::Now now, const Wire& wire, sync::RefusalKind kind);
  bool lower_limit(const Wire& wire);  // false: it is little already
  void refused_for_good(core::Now now, const Wire& wire, const std::string& text);
  void requeue(const Wire& wire, core::Instant not_before);
  void slow_down(core::Now now);
  void authenticate();
  void reply_to_challenge();

  // one_shot_sync_pieces.cpp
  void missing(std::size_t piece, const nostr::EventId& id);
  void lacking(const nostr::EventId& id);
  void delivered(const nostr::EventId& id);
  void finish_fetch(const Wire& wire);
  void lose(const nostr::EventId& id);
  void finish_page(core::Now now, const Wire& wire);
  void compare_seen(core::Now now, Piece& piece);
  void split(core::Now now, std::size_t piece, std::optional<core::UnixSeconds> middle);
  void page_instead(std::size_t piece);
  void no_negentropy(std::size_t piece, const std::string& text);
  void fail(std::size_t piece, std::string_view why);

  // one_shot_sync.cpp
  void pump(core::Now now);
  bool take_token(core::Now now);
  std::size_t open(Wire::Purpose purpose) const;
  bool may_read(core::Now now) const;
  void continue_reconciliations(core::Now now);
  bool send_fetch(core::Now now);
  bool send_piece(core::Now now);
  bool open_reconciliation(core::Now now, std::size_t piece);
  void open_page(core::Now now, std::size_t piece);
  void send_uploads(core::Now now);
  std::string add_wire(core::Now now, Wire wire);
  void close_wire(Wires::iterator at);
  void progress(core::Now now);
  bool awaits() const;
  bool reconciles(const Piece& piece) const { return negentropy_ && !piece.pages_only; }
  void give_up_silent(core::Now now);

  const Terms terms_;
  const Inventory& inventory_;
  sync::Budget budget_;
  sync::Pace pace_;
  bool negentropy_, negentropy_worked_ = false;
  std::vector<Piece> pieces_;
  std::uint32_t splits_ = 0;
  Wires wires_;
  std::uint64_t wire_number_ = 0;
  sync::IdFetchQueue desk_;
  std::map<nostr::EventId, std::string> at_intake_;  // and which wire brought it
  std::set<nostr::EventId> handed_, missing_, lost_;
  SyncUploads uploads_;
  sync::AnswerSize answers_;

  bool connected_ = false, moved_ = false;
  Auth auth_ = Auth::Unasked;
  std::optional<std::string> challenge_;
  std::optional<nostr::EventId> auth_event_;
  core::Instant paused_until_{}, fetch_not_before_{}, progressed_at_;
  std::uint32_t setbacks_ = 0;  // since the last progress
  std::optional<core::Instant> ended_at_;
  core::Instant now_;

  Frames words_;
  std::vector<nostr::Event> events_;
  OneShotReport report_;
};

}  // namespace graspd::app
