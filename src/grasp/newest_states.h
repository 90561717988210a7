// Finds the newest state of one identifier that one of some keys has signed.
//
//   R1  Each author has one state; the newest of the members' states wins (nostr::wins).
//   R2  A query costs at most two lookups per member, and usually only a few: if everybody has
//       signed a state, the newest ones belong to members.
#pragma once
#include <cstddef>
#include <optional>
#include <set>

#include "core/persistent_map.h"
#include "core/persistent_set.h"
#include "nostr/keys.h"
#include "nostr/replaceable.h"

namespace graspd::grasp {

class NewestStates {
 public:
  void put(const nostr::PublicKey& author, const nostr::Version& version);
  bool erase(const nostr::PublicKey& author);  // false: there was none
  std::optional<nostr::Version> of(const nostr::PublicKey& author) const;
  // Adds to `looks` how many entries were looked at.
  std::optional<nostr::Version> newest_of(const std::set<nostr::PublicKey>& members,
                                          std::size_t* looks = nullptr) const;
  bool empty() const { return by_author_.empty(); }
  const core::PersistentMap<nostr::PublicKey, nostr::Version>& all() const { return by_author_; }

 private:
  struct Signed {
    nostr::Version version;
    nostr::PublicKey author;
  };
  struct NewestFirst {
    bool operator()(const Signed& a, const Signed& b) const {
      if (nostr::wins(a.version, b.version)) return true;
      return !nostr::wins(b.version, a.version) && a.author < b.author;
    }
  };

  core::PersistentMap<nostr::PublicKey, nostr::Version> by_author_;
  core::PersistentSet<Signed, NewestFirst> by_time_;
};

}  // namespace graspd::grasp
