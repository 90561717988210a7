#include "grasp/archived_threads.h"

#include "grasp/coordinate_note.h"

namespace graspd::grasp {

store::Note ArchivedThreads::note(const Coordinate& coordinate, const std::optional<Term>& term) {
  store::Note note{note::coordinate_key(kNotePrefix, coordinate), std::nullopt};
  if (term) note.value = fmt::format("{} {}", term->due, term->announcement.hex());
  return note;
}

void ArchivedThreads::archive(const Coordinate& coordinate, const Term& term, Transition& changes) {
  terms_.insert_or_assign(coordinate, term);
  told_again_.erase(coordinate);
  changes.put_note(note(coordinate, term));
  changes.add(ArchiveThreads{{coordinate, term.announcement}});
}

void ArchivedThreads::settled(const Coordinate& coordinate, Transition& changes) {
  told_again_.erase(coordinate);
  if (terms_.erase(coordinate)) changes.put_note(note(coordinate, std::nullopt));
}

void ArchivedThreads::forget_note(std::string_view key) {
  if (const auto of = note::parse_coordinate(key.substr(kNotePrefix.size()))) terms_.erase(*of);
}

std::vector<store::Note> ArchivedThreads::notes() const {
  std::vector<store::Note> all;
  all.reserve(terms_.size());
  for (const auto& [coordinate, term] : terms_) all.push_back(note(coordinate, term));
  return all;
}

bool ArchivedThreads::restore(std::string_view key, std::string_view value) {
  const auto coordinate = note::parse_coordinate(key.substr(kNotePrefix.size()));
  const auto id = note::trailing_id(value);
  if (!coordinate || !id) return false;
  terms_.insert_or_assign(*coordinate, Term{note::leading_time(value), *id});
  return true;
}

}  // namespace graspd::grasp
