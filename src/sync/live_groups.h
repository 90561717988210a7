// The groups of live filters on one connection, a subscription each, and what they missed
// (sync.md §5).
//
//   R1  New groups are open before the old ones close, unless the relay has no space for both. At
//       least one slot is kept for history.
//   R2  What was published while a group was not open is read when it is open again.
//   R3  A group that never says it listens is believed to after a few tries: what it should have
//       brought is read again and again, and it is asked for anew every few minutes.
//   R4  A group that the relay refuses for now is asked for again after a wait that grows.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "sync/rotation.h"
#include "sync/wires.h"

namespace graspd::sync {

struct GapRead {
  Group slices;
  Window window;
};

struct LiveGroup {
  enum class State : std::uint8_t { Wanted, Opening, Open };
  Group slices;
  State state = State::Wanted;
  std::optional<Sub> sub;
  core::Instant not_before{};
  std::uint32_t repairs = 0;
  bool retiring = false;
  std::optional<core::UnixSeconds> dark_since;  // R2
  core::UnixSeconds opened = 0;                 // when it was asked for last
  bool by_hand = false;                         // a half of a refused group: not the plan's
  bool unproven = false;                        // it never answered, and is believed to listen
  core::Instant believed_at{};
  core::UnixSeconds read_at = 0;  // what it did not bring, last
};

class LiveGroups {
 public:
  LiveGroups(PeerContext& peer, Wires& wires, const ReadingPauses& reading, Rotation& rotation);

  const std::map<std::uint32_t, LiveGroup>& all() const { return groups_; }
  const LiveGroup& at(std::uint32_t id) const { return groups_.at(id); }
  // Keeps those that are planned and takes them from the list; the others retire. What all of them
  // missed until now.
  DarkClasses keep(std::vector<Group>& planned);
  void add(Group slices, std::optional<core::UnixSeconds> dark_since, bool by_hand);
  void join_plan(std::uint32_t id) { groups_.at(id).by_hand = false; }
  LiveGroup remove(std::uint32_t id);  // closes it; `dark_since` says what it heard last

  void pump(core::Now now);
  std::optional<GapRead> take_gap(core::Now now);  // to be read now (R2)

  void works(core::Now now, std::uint32_t id);  // an EOSE or an event says that it listens
  void interrupted() { since_.reset(); }        // not all of them are open
  void lose_retiring(core::Now now, std::uint32_t id);
  void reopen(core::Now now, std::uint32_t id, core::Instant not_before);
  void reopen_later(core::Now now, std::uint32_t id);  // R4
  void make_space(core::Now now);  // the relay has none for the new beside the old
  void timed_out(core::Now now, Sub sub);
  void ask_believed_again(core::Now now);  // R3
  void retry_now(core::Now now);
  void add_due(Soonest& due) const;

  bool is_waiting(core::Now now) const;   // something is to be opened now
  bool is_settling(core::Now now) const;  // opens, or reads what it missed
  bool is_missing() const;                // some group is not even asked for
  std::size_t open_count() const;
  std::size_t repairs(core::Now now) const;  // refused, and not yet opened again
  std::optional<core::UnixSeconds> since() const { return since_; }  // all of them are open
  std::optional<core::UnixSeconds> dark_since() const;  // since when they did not bring all
  // Since when a group that ends now brings nothing.
  core::UnixSeconds dark_from(core::Now now, const LiveGroup& group) const;
  void check_invariants() const;

 private:
  void open(core::Now now, std::uint32_t id, LiveGroup& group);
  void close_retired();
  void retire();
  void mark_gap(core::UnixSeconds since, const Group& slices);  // of who is to bring these
  void reopen(core::Now now, LiveGroup& group, core::Instant not_before);
  core::UnixSeconds read_again_at(const LiveGroup& group) const;  // R3
  std::optional<core::Instant> paused_until(const LiveGroup& group) const;
  std::vector<nostr::Filter> filters_of(const Group& group) const;

  SessionContext& context_;
  RelayMemory& memory_;
  const Budget& budget_;
  Wires& wires_;
  const ReadingPauses& reading_;
  Rotation& rotation_;
  std::map<std::uint32_t, LiveGroup> groups_;
  std::uint32_t next_ = 1;
  std::optional<core::UnixSeconds> since_;
};

}  // namespace graspd::sync
