// Where the announcements that wait for git data came from.
//
//   R1  A key costs nothing, so announcements are counted against the address they came from, or
//       the relay they were found on. Those of members of a served repository count only toward
//       the total (unnamed source).
//   R2  Limited per source and in total. When all places are taken, the source with the most loses
//       its oldest announcement, if it has more than the newcomer's source would have: nobody can
//       keep others out by filling all places.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "core/persistent_map.h"
#include "core/persistent_set.h"
#include "grasp/coordinate.h"

namespace graspd::grasp {

class AnnouncementSources {
 public:
  // A known coordinate keeps its place and its source.
  void put(const Coordinate& key, const std::string& source);
  void erase(const Coordinate& key);

  std::size_t size() const { return places_.size(); }
  std::size_t count(const std::string& source) const;
  // R2. Who would make place; nothing: nobody has more than `source` would have. A source without
  // a name takes the place of any other.
  std::optional<Coordinate> next_to_go(const std::string& source) const;

 private:
  struct Place {
    std::string source;
    std::uint64_t number = 0;
  };
  void recount(const std::string& source, std::size_t before);

  core::PersistentMap<Coordinate, Place> places_;
  core::PersistentMap<std::string, core::PersistentMap<std::uint64_t, Coordinate>>
      by_source_;                                                      // the oldest first
  core::PersistentSet<std::pair<std::size_t, std::string>> by_count_;  // of named sources
  std::uint64_t next_ = 0;
};

}  // namespace graspd::grasp
