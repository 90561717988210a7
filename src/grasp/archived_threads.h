// Deleted announcements whose threads are archived (grasp/held_threads.h), and until when.
//
//   R1  One note each: threads/<owner>/<identifier> = "<time> <id of the announcement>".
//   R2  A due entry is reported once, and again after kPatience unless it was reported as done.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "core/persistent_map.h"
#include "core/time.h"
#include "grasp/transition.h"

namespace graspd::grasp {

class ArchivedThreads {
 public:
  static constexpr std::string_view kNotePrefix = "threads/";
  static constexpr core::UnixSeconds kPatience = 3600;

  struct Term {
    core::UnixSeconds due = 0;
    nostr::EventId announcement;
  };

  void archive(const Coordinate& coordinate, const Term& term, Transition& changes);
  // They are back, or gone for good.
  void settled(const Coordinate& coordinate, Transition& changes);
  bool contains(const Coordinate& coordinate) const { return terms_.contains(coordinate); }
  const core::PersistentMap<Coordinate, Term>& terms() const { return terms_; }
  // Those whose time is over, except for those that `is_back`.
  template <class IsBack>
  std::vector<Coordinate> take_due(core::UnixSeconds now, const IsBack& is_back) {
    std::vector<Coordinate> due;
    for (const auto& [coordinate, term] : terms_) {
      if (term.due > now || is_back(coordinate)) continue;
      const core::UnixSeconds* next = told_again_.find(coordinate);
      if (next && *next > now) continue;
      due.push_back(coordinate);
      told_again_.insert_or_assign(coordinate, now + kPatience);
    }
    return due;
  }

  static store::Note note(const Coordinate& coordinate, const std::optional<Term>& term);
  // A note of an earlier run; false when it cannot be read.
  bool restore(std::string_view key, std::string_view value);
  // The store has no such note (any more).
  void forget_note(std::string_view key);
  std::vector<store::Note> notes() const;  // all of them

 private:
  core::PersistentMap<Coordinate, Term> terms_;
  core::PersistentMap<Coordinate, core::UnixSeconds> told_again_;  // R2: not before
};

}  // namespace graspd::grasp
