// Deletions taken over from another server, without the requests behind them.
#pragma once
#include <cstddef>
#include <vector>

#include "core/time.h"
#include "nostr/address.h"
#include "nostr/keys.h"

namespace graspd::lmdb {

struct Refusals {
  struct Versions {
    nostr::Address address;
    core::UnixSeconds until = 0;  // created_at of the last one that is refused
  };
  std::vector<nostr::EventId> ids;
  std::vector<Versions> addresses;

  std::size_t size() const { return ids.size() + addresses.size(); }
};

}  // namespace graspd::lmdb
