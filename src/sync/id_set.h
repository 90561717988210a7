// A set of handles as a compressed bitmap, so that "target - pending - confirmed" is three
// passes over machine words. The only user of CRoaring.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

struct roaring_bitmap_s;

namespace graspd::sync {

class IdSet {
 public:
  IdSet() = default;
  IdSet(std::initializer_list<std::uint32_t> ids);
  ~IdSet();
  IdSet(const IdSet& other);
  IdSet(IdSet&& other) noexcept;
  IdSet& operator=(IdSet other) noexcept;

  bool add(std::uint32_t id);  // false: it was there
  void add(const std::vector<std::uint32_t>& ids);
  void remove(std::uint32_t id);
  void clear();
  bool contains(std::uint32_t id) const;
  bool empty() const;
  std::size_t size() const;

  IdSet& operator|=(const IdSet& other);
  IdSet& operator-=(const IdSet& other);
  IdSet& operator&=(const IdSet& other);
  friend IdSet operator|(IdSet a, const IdSet& b) { return std::move(a |= b); }
  // Cost follows the result, not the larger side's copy.
  friend IdSet operator-(const IdSet& a, const IdSet& b) { return a.without(b); }
  friend IdSet operator-(IdSet&& a, const IdSet& b) { return std::move(a -= b); }
  friend IdSet operator&(const IdSet& a, const IdSet& b) { return a.within(b); }
  bool operator==(const IdSet& other) const;

  std::vector<std::uint32_t> to_vector() const;  // ascending
  std::size_t bytes() const;                     // of memory, about
  void compact();                                // runs become ranges

 private:
  explicit IdSet(roaring_bitmap_s* bitmap) : bitmap_(bitmap) {}
  IdSet without(const IdSet& other) const;
  IdSet within(const IdSet& other) const;
  roaring_bitmap_s* made();

  roaring_bitmap_s* bitmap_ = nullptr;  // most sets stay empty and are not made
};

}  // namespace graspd::sync
