// A whitelist or blacklist of repositories.
//
//   R1  Comma separated, white space around entries ignored. An entry is `npub` (all of an owner's
//       repositories), `npub/identifier` (one) or `identifier` (of any owner). A key may also be
//       written in hex.
//   R2  Any other entry is not added, but reported. Text that begins like a NIP-19 name is never
//       taken for an identifier: it is a mistyped key, or a secret.
//   R3  If several entries match, the one that says most about the owner is reported: owner, then
//       repository, then identifier.
#pragma once
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "grasp/coordinate.h"

namespace graspd::grasp {

enum class AccessRule { Owner, Repository, Identifier };

class AccessList {
 public:
  struct Parsed;
  static Parsed parse(std::string_view csv);
  static Parsed parse_authors(std::string_view csv);  // keys only

  // One entry; false: R2.
  bool add(std::string_view entry);
  bool add_author(std::string_view entry);

  std::size_t size() const { return owners_.size() + repositories_.size() + identifiers_.size(); }
  bool empty() const { return owners_.empty() && repositories_.empty() && identifiers_.empty(); }
  std::optional<AccessRule> match(const Coordinate& coordinate) const;
  bool matches(const Coordinate& coordinate) const { return match(coordinate).has_value(); }
  const std::set<nostr::PublicKey>& owners() const { return owners_; }
  bool matches_author(const nostr::PublicKey& key) const { return owners_.count(key) > 0; }

  std::string text() const;  // one entry per line, in an order of its own: equal lists, equal texts

  bool operator==(const AccessList&) const = default;

 private:
  bool add_repository(std::string_view entry);

  std::set<nostr::PublicKey> owners_;
  std::set<Coordinate> repositories_;
  std::set<Identifier> identifiers_;
};

struct AccessList::Parsed {
  AccessList list;
  std::vector<std::string> bad;  // R2
};

// "Repository owner npub1… is blacklisted" and the like, without a machine-readable prefix.
std::string blacklisted_text(AccessRule rule, const Coordinate& coordinate);

}  // namespace graspd::grasp
