// The newest version seen of each coordinate whose newest version is no longer served, so that
// nobody can bring back an older one.
//
//   R1  One note each, under a prefix of the table's own: <prefix><owner>/<identifier> =
//       "<created_at> <id>".
//   R2  A newer version replaces the known one; nothing is forgotten.
#pragma once
#include <string>
#include <string_view>

#include "core/persistent_map.h"
#include "grasp/coordinate.h"
#include "grasp/transition.h"
#include "nostr/replaceable.h"

namespace graspd::grasp {

class NewestSeen {
 public:
  // Of the keys of its notes, with a slash at the end; a literal.
  explicit NewestSeen(std::string_view prefix) : prefix_(prefix) {}

  void raise(const Coordinate& key, const nostr::Version& version, Transition& changes);
  store::Note note(const Coordinate& key, const nostr::Version& version) const;

  bool contains(const Coordinate& key) const { return versions_.contains(key); }
  // A newer one was seen.
  bool is_past(const Coordinate& key, const nostr::Version& version) const;
  std::size_t size() const { return versions_.size(); }

  std::string_view prefix() const { return prefix_; }
  static core::UnixSeconds created_at(std::string_view note_value);
  // A note of an earlier run; false when it cannot be read.
  bool restore(std::string_view key, std::string_view value);
  // The store has no such note (any more).
  void forget_note(std::string_view key);
  std::vector<store::Note> notes() const;  // all of them

 private:
  std::string_view prefix_;
  core::PersistentMap<Coordinate, nostr::Version> versions_;
};

}  // namespace graspd::grasp
