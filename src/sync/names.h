// The names by which sync speaks of relays, repositories, threads, connections and requests.
#pragma once
#include <cstdint>

#include "core/strong.h"

namespace graspd::sync {

// Handles given by an interner: dense, from 0, valid for the life of the process.
using RelayId = core::Strong<struct RelayTag, std::uint32_t>;
using RepoId = core::Strong<struct RepoTag, std::uint32_t>;  // 30617:<pubkey>:<d>
using RootId = core::Strong<struct RootTag, std::uint32_t>;  // a patch, pull request or issue

// One attempt to reach a relay, and the connection that came of it. Never used twice, so nothing
// of an old connection can touch a new one.
using Session = core::Strong<struct SessionTag, std::uint32_t>;

// One subscription or reconciliation on the wire. Never used twice in a process; the edge writes
// it as "g<number>", which stays below the 32 characters every relay takes.
using Sub = core::Strong<struct SubTag, std::uint64_t>;

}  // namespace graspd::sync
