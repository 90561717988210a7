// Carries a sync::PeerSession that reads given filters once: what the relay says becomes inputs,
// what the session asks for becomes frames. It keeps what the session does not need: filters,
// reconcilers, the challenge.
//
//   R1  How history is read (negentropy, pages, ids, splitting, refusals, pace) is decided by the
//       session, as in proactive sync. Nothing is decided twice.
//   R2  The next connection continues where the last one ended.
//   R3  What fails kTriesMax times, or is refused for good, is given up.
//   R4  The relay is told who we are (NIP-42) only when it asks for it.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/client/relay_dialogue.h"
#include "app/sync_once/sync_inventory.h"
#include "negentropy/reconciler.h"
#include "nostr/relay_message.h"
#include "sync/peer_session.h"

namespace graspd::app {

// Whoever reads: decides what becomes of events and ids.
class HistoryOwner {
 public:
  virtual ~HistoryOwner() = default;
  // An event came that was asked for; nullopt: HistoryDialogue::judged() follows.
  virtual std::optional<nostr::Outcome> arrived(sync::Sub sub, nostr::Event event, bool by_id) = 0;
  virtual void unasked() = 0;                          // an event came that was not
  virtual bool missing(const nostr::EventId& id) = 0;  // here; true: it shall be fetched
  virtual void lacking(const nostr::EventId& id) = 0;  // the relay lacks it
  virtual void in_both(std::uint64_t count) = 0;       // of a set that was reconciled
  virtual void progressed(core::Now now) = 0;          // the relay said something useful
  virtual void give_up(core::Now now, std::string_view why) = 0;
};

class HistoryDialogue {
 public:
  static constexpr std::uint64_t kTriesMax = 3;

  struct Terms {
    nostr::RelayUrl peer;
    std::optional<sync::PeerInformation> information;  // what its NIP-11 says
    std::vector<nostr::Filter> filters;
    bool negentropy = true;
    std::uint64_t items_max = 0;  // of our sets
    AnswerChallenge answer;
    Notice notice;
  };
  // A filter and a time in which our set was compared with the relay's.
  struct Compared {
    nostr::Filter filter;  // without times
    sync::Window window;
  };
  HistoryDialogue(Terms terms, const Inventory& inventory, HistoryOwner& owner);

  void connected(core::Now now);
  void disconnected(core::Now now);  // R2
  // False: it is not about reading.
  bool hear(core::Now now, nostr::RelayMessage& message);
  void judged(core::Now now, sync::Sub sub, const nostr::EventId& id, nostr::Outcome outcome);
  void tick(core::Now now, bool may_request);
  void identify(core::Now now);  // R4: an upload needs it

  Frames take_frames() { return std::exchange(frames_, {}); }

  bool is_over() const { return is_over_; }
  bool awaits() const;  // the relay's answer
  bool is_identifying() const { return is_challenge_awaited_ || answer_; }
  bool may_identify() const { return !is_known_ && !is_denied_; }
  std::optional<core::Instant> paused_until(core::Now now) const;
  std::uint64_t requests() const { return requests_; }
  std::uint64_t rounds() const { return memory_.meter.reconciliation_rounds; }
  std::uint64_t pages() const { return memory_.meter.pages; }
  std::uint64_t undelivered() const { return memory_.lost.size() + memory_.ids_given_up; }
  std::vector<std::string> troubles() const { return troubles_; }
  // Questions, and how many are open.
  std::pair<std::size_t, std::size_t> standing() const;
  bool has_paged() const { return has_paged_; }  // something was not read by reconciliation
  // Of one of the filters: was this time read, but not by reconciliation?
  bool is_paged(std::size_t filter, core::UnixSeconds at) const;

 private:
  struct Reconciliation {
    nostr::Filter filter;
    std::optional<negentropy::Initiator> initiator;
    std::optional<core::UnixSeconds> middle;
    std::size_t ours = 0, only_ours = 0;
    std::optional<std::string> next;  // what NegContinue sends
  };

  void on(core::Now now, nostr::relay_said::Matching& in);
  void on(core::Now now, nostr::relay_said::EndOfStored& in);
  void on(core::Now now, nostr::relay_said::Closed& in);
  void on(core::Now now, nostr::relay_said::Notice& in);
  void on(core::Now now, nostr::relay_said::Challenge& in);
  void on(core::Now now, nostr::relay_said::NegMessage& in);
  void on(core::Now now, nostr::relay_said::NegError& in);
  bool on_ok(core::Now now, const nostr::relay_said::Ok& in);

  void perform(core::Now now, const sync::Action& action);
  void open(core::Now now, const sync::NegOpen& action);
  void reply_to_challenge(core::Now now);
  template <class In>
  void tell(core::Now now, const In& in);
  void settle(core::Now now);  // does what the session asks for, and sees whether it is over
  void refused(core::Now now, const std::string& text);
  void see_whether_over();
  void give_up_rest(const sync::Batch& batch);  // R3

  const Terms terms_;
  const Inventory& inventory_;
  HistoryOwner& owner_;
  sync::SessionContext context_;
  sync::RelayMemory memory_;
  std::unique_ptr<sync::PeerSession> session_;
  std::uint32_t sessions_ = 0;
  std::map<sync::Sub, sync::Filters> open_;
  std::map<sync::Sub, Reconciliation> reconciliations_;
  std::vector<Compared> compared_;
  std::vector<Compared> unread_;  // when it was given up
  std::optional<std::string> challenge_;
  std::optional<nostr::EventId> answer_;
  bool is_challenge_awaited_ = false, is_known_ = false, is_denied_ = false;
  std::uint32_t setbacks_ = 0;  // since the last progress
  std::size_t questions_ = 0;
  std::uint64_t requests_ = 0;
  bool is_over_ = false, has_paged_ = false;
  Frames frames_;
  std::vector<std::string> troubles_;
};

}  // namespace graspd::app
