// Marks that one walk over a graph leaves at what it has seen: a hash table from numbers, for the
// time of the walk. It costs what was seen, not what there is. It has no order.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace graspd::grasp {

template <class Mark>
class NumberMap {
 public:
  // 0 is no number. Valid until the next one.
  Mark& operator[](std::uint64_t number) {
    if ((used_ + 1) * 2 > places_.size()) grow();
    Place& place = places_[place_of(number)];
    if (std::exchange(place.number, number) != number) ++used_;
    return place.mark;
  }
  const Mark* find(std::uint64_t number) const {
    if (places_.empty()) return nullptr;
    const Place& place = places_[place_of(number)];
    return place.number == number ? &place.mark : nullptr;
  }

 private:
  struct Place {
    std::uint64_t number = 0;
    Mark mark{};
  };
  static constexpr std::size_t kPlacesMin = 16;  // a power of two, as are all sizes

  // Where it is, or would be.
  std::size_t place_of(std::uint64_t number) const {
    const std::size_t last = places_.size() - 1;
    std::size_t at = ((number * 0x9e3779b97f4a7c15ULL) >> 32) & last;
    while (places_[at].number != 0 && places_[at].number != number) at = (at + 1) & last;
    return at;
  }
  void grow() {
    const std::size_t size = places_.empty() ? kPlacesMin : places_.size() * 2;
    for (Place& place : std::exchange(places_, std::vector<Place>(size)))
      if (place.number != 0) places_[place_of(place.number)] = std::move(place);
  }

  std::vector<Place> places_;
  std::size_t used_ = 0;
};

}  // namespace graspd::grasp
