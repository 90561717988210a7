// The relays that are followed, by number and by address, and what is kept of those that are not.
//
//   R1  A number is given once: a relay that comes back has another.
//   R2  How a relay fared is kept when it goes, in case it comes back. That of a relay without
//       failures is not worth keeping.
#pragma once
#include <map>
#include <memory>
#include <vector>

#include "nostr/relay_url.h"
#include "sync/record.h"
#include "sync/relay.h"

namespace graspd::sync {

class RelayDirectory {
 public:
  Relay& add(core::Now now, const nostr::RelayUrl& url, Reason reason);
  // True: its record is kept (R2).
  bool remove(core::Now now, RelayId id);
  void restore(const RelayRecord& record);

  Relay* find(RelayId id);
  const Relay* find(RelayId id) const;
  Relay* find(const nostr::RelayUrl& url);
  const Relay* find(const nostr::RelayUrl& url) const;

  // By number, and by address.
  using Relays = std::map<RelayId, std::unique_ptr<Relay>>;
  const Relays& relays() const { return relays_; }
  const std::map<nostr::RelayUrl, RelayId>& addresses() const { return addresses_; }
  void check_invariants() const;

 private:
  Relays relays_;
  std::map<nostr::RelayUrl, RelayId> addresses_;
  std::uint32_t next_ = 0;
  std::map<nostr::RelayUrl, RelayRecord> records_;  // of relays that are not here (yet)
};

}  // namespace graspd::sync
