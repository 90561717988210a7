// Notes kept as a store keeps them, for tests.
#pragma once
#include <map>
#include <string>

#include "grasp/transition.h"

namespace graspd::grasp::testing {

using Book = std::map<std::string, std::string>;

// Written into the book at the end.
class NewNotes : public Transition {
 public:
  explicit NewNotes(Book& book) : book_(book) {}
  NewNotes(const NewNotes&) = delete;
  NewNotes& operator=(const NewNotes&) = delete;
  ~NewNotes() { write(); }
  void write() {
    for (const store::Note& note : all<store::Note>())
      note.value ? void(book_.insert_or_assign(note.key, *note.value))
                 : void(book_.erase(note.key));
    take();
  }

 private:
  Book& book_;
};

}  // namespace graspd::grasp::testing
