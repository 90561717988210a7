#include "sync/id_set.h"

#include <roaring/roaring.h>
#include <utility>

namespace graspd::sync {

namespace {

void free_unless_empty(roaring_bitmap_t* bitmap) {
  if (bitmap != nullptr) roaring_bitmap_free(bitmap);
}

}  // namespace

IdSet::IdSet(std::initializer_list<std::uint32_t> ids) {
  for (const std::uint32_t id : ids) add(id);
}
IdSet::~IdSet() { free_unless_empty(bitmap_); }
IdSet::IdSet(const IdSet& other)
    : bitmap_(other.bitmap_ == nullptr ? nullptr : roaring_bitmap_copy(other.bitmap_)) {}
IdSet::IdSet(IdSet&& other) noexcept : bitmap_(std::exchange(other.bitmap_, nullptr)) {}
IdSet& IdSet::operator=(IdSet other) noexcept {
  std::swap(bitmap_, other.bitmap_);
  return *this;
}

roaring_bitmap_s* IdSet::made() {
  if (bitmap_ == nullptr) bitmap_ = roaring_bitmap_create();
  return bitmap_;
}

bool IdSet::add(std::uint32_t id) { return roaring_bitmap_add_checked(made(), id); }
void IdSet::add(const std::vector<std::uint32_t>& ids) {
  if (!ids.empty()) roaring_bitmap_add_many(made(), ids.size(), ids.data());
}
void IdSet::remove(std::uint32_t id) {
  if (bitmap_ != nullptr) roaring_bitmap_remove(bitmap_, id);
}
void IdSet::clear() { free_unless_empty(std::exchange(bitmap_, nullptr)); }
bool IdSet::contains(std::uint32_t id) const {
  return bitmap_ != nullptr && roaring_bitmap_contains(bitmap_, id);
}
bool IdSet::empty() const { return bitmap_ == nullptr || roaring_bitmap_is_empty(bitmap_); }
std::size_t IdSet::size() const {
  return bitmap_ == nullptr ? 0 : roaring_bitmap_get_cardinality(bitmap_);
}

IdSet& IdSet::operator|=(const IdSet& other) {
  if (other.bitmap_ != nullptr) roaring_bitmap_or_inplace(made(), other.bitmap_);
  return *this;
}
IdSet& IdSet::operator-=(const IdSet& other) {
  if (bitmap_ != nullptr && other.bitmap_ != nullptr)
    roaring_bitmap_andnot_inplace(bitmap_, other.bitmap_);
  return *this;
}
IdSet& IdSet::operator&=(const IdSet& other) {
  if (other.bitmap_ == nullptr) clear();
  if (bitmap_ != nullptr) roaring_bitmap_and_inplace(bitmap_, other.bitmap_);
  return *this;
}
IdSet IdSet::without(const IdSet& other) const {
  if (bitmap_ == nullptr || other.bitmap_ == nullptr) return *this;
  return IdSet(roaring_bitmap_andnot(bitmap_, other.bitmap_));
}
IdSet IdSet::within(const IdSet& other) const {
  if (bitmap_ == nullptr || other.bitmap_ == nullptr) return {};
  return IdSet(roaring_bitmap_and(bitmap_, other.bitmap_));
}
bool IdSet::operator==(const IdSet& other) const {
  if (empty() || other.empty()) return empty() == other.empty();
  return roaring_bitmap_equals(bitmap_, other.bitmap_);
}

std::vector<std::uint32_t> IdSet::to_vector() const {
  std::vector<std::uint32_t> out(size());
  if (!out.empty()) roaring_bitmap_to_uint32_array(bitmap_, out.data());
  return out;
}
std::size_t IdSet::bytes() const {
  return bitmap_ == nullptr ? 0 : roaring_bitmap_size_in_bytes(bitmap_);
}
void IdSet::compact() {
  if (bitmap_ != nullptr) roaring_bitmap_run_optimize(bitmap_);
}

}  // namespace graspd::sync
