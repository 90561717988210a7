// Small dense handles for large names, so that sets of names are sets of numbers.
//
//   R1  The same name has the same handle for the life of the process; handles count from 0.
//   R2  Lookup only: nothing iterates in hash order.
#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace graspd::sync {

// Handle is a Strong over uint32; Hash maps a Name to 64 well mixed bits.
template <class Name, class Handle, class Hash>
class Interner {
 public:
  explicit Interner(Hash hash = {}) : hash_(std::move(hash)) {}

  Handle intern(const Name& name) {
    if (2 * (names_.size() + 1) > slots_.size()) grow();
    std::uint32_t& slot = find_slot(name);
    if (slot == kFree) {
      slot = static_cast<std::uint32_t>(names_.size());
      names_.push_back(name);
    }
    return Handle{slot};
  }
  std::optional<Handle> find(const Name& name) const {
    if (slots_.empty()) return std::nullopt;
    const std::uint32_t slot = const_cast<Interner*>(this)->find_slot(name);
    if (slot == kFree) return std::nullopt;
    return Handle{slot};
  }
  const Name& name(Handle handle) const { return names_[handle.value]; }
  std::size_t size() const { return names_.size(); }

 private:
  static constexpr std::uint32_t kFree = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t& find_slot(const Name& name) {
    std::size_t at = hash_(name) & (slots_.size() - 1);
    while (slots_[at] != kFree && !(names_[slots_[at]] == name))
      at = (at + 1) & (slots_.size() - 1);
    return slots_[at];
  }
  void grow() {
    slots_.assign(slots_.empty() ? 64 : 2 * slots_.size(), kFree);
    for (std::uint32_t i = 0; i < names_.size(); ++i) find_slot(names_[i]) = i;
  }

  Hash hash_;
  std::vector<Name> names_;
  std::vector<std::uint32_t> slots_;  // power of two, at most half full
};

}  // namespace graspd::sync
