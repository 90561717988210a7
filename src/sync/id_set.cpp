#include "sync/id_set.h"

#include <roaring/roaring.h>
#include <utility>

namespace graspd::sync {

IdSet::IdSet() : bitmap_(roaring_bitmap_create()) {}
IdSet::IdSet(std::initializer_list<std::uint32_t> ids) : IdSet() {
  for (const std::uint32_t id : ids) add(id);
}
IdSet::~IdSet() {
  if (bitmap_ != nullptr) roaring_bitmap_free(bitmap_);
}
IdSet::IdSet(const IdSet& other) : bitmap_(roaring_bitmap_copy(other.bitmap_)) {}
IdSet::IdSet(IdSet&& other) noexcept : IdSet() { std::swap(bitmap_, other.bitmap_); }
IdSet& IdSet::operator=(IdSet other) noexcept {
  std::swap(bitmap_, other.bitmap_);
  return *this;
}

void IdSet::add(std::uint32_t id) { roaring_bitmap_add(bitmap_, id); }
void IdSet::add(const std::vector<std::uint32_t>& ids) {
  roaring_bitmap_add_many(bitmap_, ids.size(), ids.data());
}
void IdSet::remove(std::uint32_t id) { roaring_bitmap_remove(bitmap_, id); }
void IdSet::clear() { roaring_bitmap_clear(bitmap_); }
bool IdSet::contains(std::uint32_t id) const { return roaring_bitmap_contains(bitmap_, id); }
bool IdSet::empty() const { return roaring_bitmap_is_empty(bitmap_); }
std::size_t IdSet::size() const { return roaring_bitmap_get_cardinality(bitmap_); }

IdSet& IdSet::operator|=(const IdSet& other) {
  roaring_bitmap_or_inplace(bitmap_, other.bitmap_);
  return *this;
}
IdSet& IdSet::operator-=(const IdSet& other) {
  roaring_bitmap_andnot_inplace(bitmap_, other.bitmap_);
  return *this;
}
IdSet& IdSet::operator&=(const IdSet& other) {
  roaring_bitmap_and_inplace(bitmap_, other.bitmap_);
  return *this;
}
IdSet IdSet::without(const IdSet& other) const {
  return IdSet(roaring_bitmap_andnot(bitmap_, other.bitmap_));
}
IdSet IdSet::within(const IdSet& other) const {
  return IdSet(roaring_bitmap_and(bitmap_, other.bitmap_));
}
bool IdSet::operator==(const IdSet& other) const {
  return roaring_bitmap_equals(bitmap_, other.bitmap_);
}

std::vector<std::uint32_t> IdSet::to_vector() const {
  std::vector<std::uint32_t> out(size());
  roaring_bitmap_to_uint32_array(bitmap_, out.data());
  return out;
}
std::size_t IdSet::bytes() const { return roaring_bitmap_size_in_bytes(bitmap_); }
void IdSet::compact() { roaring_bitmap_run_optimize(bitmap_); }

}  // namespace graspd::sync
