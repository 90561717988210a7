// A whitelist or blacklist of repositories.
//
//   R1  Comma separated, white space around entries ignored. An entry is `npub` (all of an owner's
//       repositories), `npub/identifier` (one) or `identifier` (of whatever owner). A key in hex
//       does for an npub.
//   R2  An entry that is none of these is not added, and told. What begins like a name of NIP-19
//       is never taken for an identifier: it is a key with a typing error, or a secret.
//   R3  Of several matching entries the widest about the owner is told: owner, repository,
//       identifier.
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
