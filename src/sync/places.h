// Which of the relays that repositories list are followed, since there are not enough slots for
// all.
//
//   R1  At most `all` relays have a slot; at most `per_owner` of them count for one owner, the
//       author of the announcements that list them; at most `per_host` are on one host. 0: no
//       limit. A bootstrap relay always has a slot, which counts for `all` and for no owner.
//   R2  A slot counts for one owner, the one whose turn it was. If that owner no longer lists the
//       relay and others do, it counts for the one of them with the fewest slots, even beyond the
//       limit: nobody loses a relay because somebody else changed an announcement.
//   R3  A relay without a slot waits in the queue of every owner who lists it. Free slots go to the
//       owners in turn, one each, so a long queue does not delay the others. The first in a queue
//       is the relay that most repositories of this owner list.
//   R4  A relay keeps its slot until leave(). Somebody with many keys can still take many slots:
//       each key is limited, but the number of keys is not.
//   R5  At most kWaitingMax pairs of relay and repository wait. Beyond that the owner with the most
//       loses one, which is counted (`overlooked`).
//   R6  list() and leave() cost the logarithm of the number of entries. give() looks at the queues
//       of owners for whom something changed, and at all queues once after slots became free.
//
// A host is the host of the URL as written, and for an IPv6 address its /64. Port and path do not
// matter. Names below one domain are several hosts, although their owner may create them for free:
// which of them are one machine is known only when they are dialled, and honest relays share
// machines too.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "nostr/keys.h"
#include "nostr/relay_url.h"
#include "sync/names.h"

namespace graspd::sync {

struct PlaceLimits {  // R1
  std::size_t all = 1'000;
  std::size_t per_owner = 50;  // five times what anybody is known to list
  std::size_t per_host = 8;    // one host has a few relays by path or port, not hundreds
};

// The relays that wait, by what they lack: a place on their host, else one for an owner who lists
// them, else any.
struct WaitingRelays {
  std::size_t for_host = 0, for_owner = 0, for_any = 0;
  std::uint64_t overlooked = 0;  // R5, since the start

  std::size_t total() const { return for_host + for_owner + for_any; }
};

class Places {
 public:
  using Owner = nostr::PublicKey;
  using Url = nostr::RelayUrl;
  // Strangers write these lists. A pair takes about 100 bytes.
  static constexpr std::size_t kWaitingMax = 50'000;

  explicit Places(const PlaceLimits& limits, std::size_t waiting_max = kWaitingMax)
      : limits_(limits), waiting_max_(waiting_max) {}

  void add_bootstrap(const Url& url);
  // This repository lists these relays, sorted and unique, and no others.
  void list(RepoId repo, const Owner& owner, const std::vector<Url>& urls);
  // The relays that have a place from now on.
  std::vector<Url> give();
  // The relay is not followed any more.
  void leave(const Url& url);

  bool has_place(const Url& url) const;
  std::vector<RepoId> listed_by(const Url& url) const;
  bool has_free() const { return freed_; }            // since the last give()
  std::uint64_t refused() const { return refused_; }  // relays that had to wait
  const WaitingRelays& waiting() const;
  void check_invariants() const;

 private:
  struct Relay {
    std::string host;
    std::map<Owner, std::set<RepoId>> listed;
    std::optional<Owner> payer;  // R2
    bool has_place = false;
  };
  using Relays = std::map<Url, Relay>;
  struct Waiting {
    std::size_t repos = 0;  // of this owner
    const Url* url = nullptr;
    bool operator<(const Waiting& other) const {  // R3
      return repos != other.repos ? repos > other.repos : *url < *other.url;
    }
  };
  struct Account {
    std::size_t places = 0, pairs = 0;
    std::set<Waiting> line;
  };
  struct Turn {
    Owner owner;
    std::optional<Waiting> seen;  // of the line, so far
  };

  void add(RepoId repo, const Owner& owner, const Url& url);
  void remove(RepoId repo, const Owner& owner, const Url& url);
  void forget_one_pair();  // R5
  void wait(const Owner& owner, Relays::value_type& relay, std::size_t before);
  void count_pairs(const Owner& owner, std::size_t before, std::size_t after);
  void charge(Relay& relay, std::optional<Owner> owner);
  void recharge(Relay& relay);
  std::vector<Turn> turns() const;
  bool take_turn(Turn& turn, std::vector<Url>& given);
  void grant(Relays::value_type& relay, const Owner& owner);
  void drop_if_idle(const Owner& owner);
  bool is_full() const { return limits_.all > 0 && taken_ >= limits_.all; }
  bool is_full(const Account& account) const;
  bool is_full(const std::string& host) const;

  const PlaceLimits limits_;
  const std::size_t waiting_max_;
  Relays relays_;                                    // all that are listed or have a place
  std::map<RepoId, std::vector<const Url*>> lists_;  // keys of relays_, in order
  std::map<Owner, Account> accounts_;
  std::map<std::string, std::size_t> hosts_;              // places on each
  std::set<std::pair<std::size_t, Owner>> most_waiting_;  // by pairs, those who have any
  std::size_t taken_ = 0, pairs_ = 0;
  std::set<Owner> changed_;  // R6
  bool freed_ = false;
  std::optional<Owner> last_turn_;
  std::vector<Url> fresh_;  // listed for the first time since the last give()
  std::uint64_t refused_ = 0;
  mutable std::optional<WaitingRelays> waiting_;  // until something changes
  std::uint64_t overlooked_ = 0;
};

}  // namespace graspd::sync
