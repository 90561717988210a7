// RepoSyncIndex (sync.md §3): what we want. Repository -> its relays, its roots, its level.
//
//   R1  A replaced announcement replaces the set of relays; a deleted one leaves no relays.
//   R2  A root counts for every repository it tags, followed or not yet: it may arrive before the
//       announcement.
//   R3  Only its removal lowers a repository from Full to StateOnly.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/rng.h"
#include "nostr/address.h"
#include "sync/id_set.h"
#include "sync/interner.h"
#include "sync/messages.h"
#include "sync/names.h"

namespace graspd::sync {

struct Repo {
  nostr::Address address;
  std::string text;             // of the address: the value of `#a`
  std::optional<Level> level;   // nullopt: not followed
  std::vector<RelayId> relays;  // sorted, unique
  IdSet roots;
};

class RepoIndex {
 public:
  explicit RepoIndex(core::Rng rng = core::Rng(0)) : handles_(HashAddress{rng.next()}) {}

  RepoId repo(const nostr::Address& address);
  std::optional<RepoId> find(const nostr::Address& address) const;
  const Repo& at(RepoId id) const { return repos_[id.value]; }
  std::size_t size() const { return repos_.size(); }

  void follow(RepoId id, Level level, std::vector<RelayId> relays);
  void unfollow(RepoId id);

  // The repositories that gained this root by it; empty when it was known for all of them.
  std::vector<RepoId> add_root(const nostr::EventId& id, const std::vector<nostr::Address>& repos,
                               core::UnixSeconds created_at);
  // Those that lost it.
  std::vector<RepoId> remove_root(RootId id);
  void touch(const nostr::EventId& id, core::UnixSeconds at);

  std::optional<RootId> find_root(const nostr::EventId& id) const { return roots_.find(id); }
  const nostr::EventId& root(RootId id) const { return roots_.name(id); }
  const std::vector<RepoId>& repos_of(RootId id) const { return repos_of_[id.value]; }
  core::UnixSeconds last_active(RootId id) const { return last_active_[id.value]; }
  std::size_t root_count() const { return roots_.size(); }

  // Filters that are read as they are: their handles.
  std::uint32_t give(nostr::Filter filter) {
    given_.push_back(std::move(filter));
    return static_cast<std::uint32_t>(given_.size() - 1);
  }
  const nostr::Filter& given(std::uint32_t id) const { return given_[id]; }

 private:
  struct HashId {
    std::uint64_t operator()(const nostr::EventId& id) const;
  };
  // Strangers choose the addresses: without the secret they cannot make them collide.
  struct HashAddress {
    std::uint64_t secret;
    std::uint64_t operator()(const nostr::Address& address) const;
  };
  Interner<nostr::Address, RepoId, HashAddress> handles_;
  std::vector<Repo> repos_;  // by RepoId
  Interner<nostr::EventId, RootId, HashId> roots_;
  std::vector<std::vector<RepoId>> repos_of_;   // by RootId
  std::vector<core::UnixSeconds> last_active_;  // by RootId
  std::vector<nostr::Filter> given_;
};

}  // namespace graspd::sync
