// One relay of the engine: what is remembered of it, and how it is connected.
#pragma once
#include <memory>
#include <optional>
#include <variant>

#include "sync/peer_session.h"
#include "sync/relay_memory.h"

namespace graspd::sync {

// Why a relay is followed.
enum class Reason : std::uint8_t { Repository, Bootstrap };

struct Down {};
struct Asking {  // NIP-11 is being read
  Session session;
};
struct Dialing {
  Session session;
};
struct Up {
  std::unique_ptr<PeerSession> connection;
};
struct Leaving {  // told to hang up; the end has not come yet
  Session session;
};
using Link = std::variant<Down, Asking, Dialing, Up, Leaving>;

struct Relay {
  RelayMemory memory;
  Reason reason = Reason::Repository;
  Link link = Down{};
  std::optional<core::Instant> lonely_since;  // no repository lists it any more
  std::optional<core::Instant> daily_at;
  bool left_alone_logged = false;

  PeerSession* connection() {
    Up* up = std::get_if<Up>(&link);
    return up == nullptr ? nullptr : up->connection.get();
  }
  const PeerSession* connection() const { return const_cast<Relay*>(this)->connection(); }
};

}  // namespace graspd::sync
