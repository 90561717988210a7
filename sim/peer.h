// A simulated relay, with the habits found in the field (sync.md §5, §6, §13).
#pragma once
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/rng.h"
#include "nostr/filter.h"
#include "sync/messages.h"

namespace graspd::sim {

using namespace std::chrono_literals;

enum class Negentropy { Works, Absent, Silent, Notice, Error };

struct Habits {
  // What it is.
  std::size_t cap = 500;  // results per filter
  bool hints = false;     // NIP-67
  Negentropy negentropy = Negentropy::Works;
  std::optional<std::uint64_t> negentropy_cap;
  std::string words_of_too_large = "rate-limited: too many negentropy items";
  std::optional<sync::PeerInformation> information;
  core::Duration latency = 20ms;
  core::Duration first_frame = 0ms;  // on top, for stored events
  core::Duration between_events = 1ms;
  std::optional<std::size_t> subscriptions_max, filters_max, retained_bytes_max;
  std::optional<std::size_t> requests_per_minute;
  bool limits_by_notice = false;
  bool refuses_limit_zero = false, refuses_long_values = false;
  std::optional<std::size_t> limit_max, results_max;  // more is refused
  std::string words_of_too_many = "error: too many concurrent REQs";
  bool refuses_by_notice = false;  // whatever it refuses
  bool slow_refusals = false;      // each takes longer than the one before
  bool refuses_live = false;       // in words that say nothing
  bool needs_auth = false, never_answers_auth = false, restricted = false, refuses_ids = false;
  std::size_t auth_rate_refusals = 0;  // so many AUTHs come too soon
  bool ignores_until = false;
  std::set<nostr::EventId> withheld;  // listed, not delivered
  std::size_t invents = 0;            // ids that nobody has
  std::set<nostr::EventId> forged;    // a wrong copy comes first
  // What goes wrong; off once the world has healed.
  bool down = false;
  bool never_eose = false, eose_twice = false, floods = false;
  std::uint64_t refuse_dial_one_in = 0, close_one_in = 0, cut_one_in = 0, lose_live_one_in = 0,
                notice_one_in = 0, stray_one_in = 0, mute_one_in = 0;
  std::size_t cut_after = SIZE_MAX;  // events of a connection
  std::size_t cap_in_trouble = SIZE_MAX;
  bool sends_twice = false, ignores_limit = false;
  bool deaf = false;          // never answers a live request, and does not listen
  std::string refuses_value;  // in a filter
};

struct Delivery {  // one frame on its way to us
  core::Duration after;
  sync::Input input;
  std::optional<nostr::Event> body;  // with EventArrived
  bool forged = false;
};
using Deliveries = std::vector<Delivery>;

class Peer {
 public:
  Peer(Habits given, core::Rng rng) : habits(std::move(given)), rng_(rng) {}

  Habits habits;
  bool healed = false;
  std::vector<nostr::Event> events;
  std::map<nostr::EventId, core::UnixSeconds> published;  // when an event came to it

  bool accepts_dial();
  void connected(sync::RelayId relay, sync::Session session);
  void disconnected();
  bool is_connected() const { return session_.has_value(); }
  std::optional<sync::Session> session() const { return session_; }

  std::size_t cap() const {  // results per filter, at present
    return healed ? habits.cap : std::min(habits.cap, habits.cap_in_trouble);
  }
  // An event is published here; live copies go out.
  Deliveries publish(const nostr::Event& event);
  Deliveries request(core::Instant now, const sync::Subscribe& ask);
  void close(sync::Sub sub) { subs_.erase(sub); }
  Deliveries close_all(const std::string& why);  // CLOSED for whatever is open
  Deliveries authenticate(const sync::Authenticate& ask);
  // `known`: the ids on our side.
  Deliveries reconcile(core::Instant now, const sync::NegOpen& ask,
                       const std::map<nostr::EventId, nostr::Event>& known);
  Deliveries reconcile_on(core::Instant now, const sync::NegContinue& ask);
  void close_reconciliation(sync::Sub sub) { negs_.erase(sub); }

  // Counted for the scenarios.
  std::size_t requests = 0, refusals = 0, rate_refusals = 0, events_sent = 0, reconciliations = 0;
  std::size_t subs_high = 0;
  std::vector<sync::Subscribe> heard;  // when `records`
  bool records = false;
  std::set<nostr::EventId> ids_given;  // as an answer
  bool wants_cut = false;  // the world must cut the connection

 private:
  bool fault(std::uint64_t one_in) { return !healed && one_in > 0 && rng_.one_in(one_in); }
  std::optional<std::string> refusal(core::Instant now, const sync::Subscribe& ask);
  bool over_rate(core::Instant now);
  std::size_t count_of(const nostr::Filter& filter) const;
  std::vector<nostr::Event> answer(nostr::Filter filter) const;
  bool send_event(Deliveries& out, core::Duration after, sync::Sub sub, const nostr::Event& event);

  core::Rng rng_;
  std::optional<sync::RelayId> relay_;
  std::optional<sync::Session> session_;
  std::map<sync::Sub, sync::Filters> subs_;
  std::map<sync::Sub, std::vector<nostr::EventId>> negs_;
  std::map<sync::Sub, std::uint64_t> neg_ours_;
  std::vector<core::Instant> recent_;
  bool authenticated_ = false;
  std::size_t sent_on_connection_ = 0;
};

}  // namespace graspd::sim
