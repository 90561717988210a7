// A whitelist or blacklist of repositories, read once.
//
//   R1  Comma separated, white space around entries ignored. An entry is `npub` (all of an owner's
//       repositories), `npub/identifier` (one) or `identifier` (of whatever owner).
//   R2  An entry that is none of these is left out with a warning: one broken entry must not open
//       or close everything. What begins like an npub, or is a key in hex, is never taken for an
//       identifier.
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
  static Parsed parse_authors(std::string_view csv);  // npub entries only

  bool empty() const { return owners_.empty() && repositories_.empty() && identifiers_.empty(); }
  std::optional<AccessRule> match(const Coordinate& coordinate) const;
  bool matches(const Coordinate& coordinate) const { return match(coordinate).has_value(); }
  bool matches_author(const nostr::PublicKey& key) const { return owners_.count(key) > 0; }

  std::string text() const;  // one entry per line, in an order of its own: equal lists, equal texts

  bool operator==(const AccessList&) const = default;

 private:
  bool add_author(std::string_view entry);
  bool add_repository(std::string_view entry);
  bool add(std::string_view entry);

  std::set<nostr::PublicKey> owners_;
  std::set<Coordinate> repositories_;
  std::set<Identifier> identifiers_;
};

struct AccessList::Parsed {
  AccessList list;
  std::vector<std::string> warnings;
};

// "Repository owner npub1… is blacklisted" and the like, without a machine-readable prefix.
std::string blacklisted_text(AccessRule rule, const Coordinate& coordinate);

}  // namespace graspd::grasp
