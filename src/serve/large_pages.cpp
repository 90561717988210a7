#include "serve/large_pages.h"

#include <new>
#include <sys/mman.h>

namespace graspd::serve {
namespace {

constexpr std::size_t kLargePage = 2UL << 20;

std::align_val_t alignment_for(std::size_t bytes, std::size_t alignment) {
  return std::align_val_t{bytes < kLargePage ? alignment : kLargePage};
}

class LargePages final : public std::pmr::memory_resource {
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    void* place = ::operator new(bytes, alignment_for(bytes, alignment));
    // Advice: where it is not taken, everything works as before.
    if (bytes >= kLargePage) static_cast<void>(::madvise(place, bytes, MADV_HUGEPAGE));
    return place;
  }
  void do_deallocate(void* place, std::size_t bytes, std::size_t alignment) override {
    ::operator delete(place, bytes, alignment_for(bytes, alignment));
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

}  // namespace

std::pmr::memory_resource* large_pages() {
  static LargePages resource;
  return &resource;
}

}  // namespace graspd::serve
