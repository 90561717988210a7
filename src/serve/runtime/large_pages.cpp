#include "serve/runtime/large_pages.h"

#include <mutex>
#include <new>
#include <sys/mman.h>
#include <utility>

namespace graspd::serve {
namespace {

constexpr std::size_t kLargePage = 2UL << 20;

struct Block {
  void* place = nullptr;
  std::size_t bytes = 0;
};

// Whoever needs about as much gets the same.
std::size_t in_large_pages(std::size_t bytes) {
  return (bytes + kLargePage - 1) / kLargePage * kLargePage;
}

Block make(std::size_t bytes) {
  void* place = ::operator new(bytes, std::align_val_t{kLargePage});
  // Advice: where it is not taken, everything works as before.
  static_cast<void>(::madvise(place, bytes, MADV_HUGEPAGE));
  return {place, bytes};
}

void drop(const Block& block) {
  ::operator delete(block.place, block.bytes, std::align_val_t{kLargePage});
}

class LargePages final : public std::pmr::memory_resource {
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (bytes < kLargePage) return ::operator new(bytes, std::align_val_t{alignment});
    return take(in_large_pages(bytes)).place;
  }
  void do_deallocate(void* place, std::size_t bytes, std::size_t alignment) override {
    if (bytes < kLargePage) return ::operator delete(place, bytes, std::align_val_t{alignment});
    keep({place, in_large_pages(bytes)});
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  Block take(std::size_t bytes) {
    {
      std::lock_guard lock(mutex_);
      if (kept_.bytes == bytes) return std::exchange(kept_, {});
    }
    return make(bytes);
  }
  void keep(Block block) {
    static_cast<void>(::madvise(block.place, block.bytes, MADV_FREE));
    {
      std::lock_guard lock(mutex_);
      std::swap(kept_, block);
    }
    if (block.place != nullptr) drop(block);
  }

  std::mutex mutex_;  // guards kept_
  Block kept_;
};

}  // namespace

std::pmr::memory_resource* large_pages() {
  static LargePages resource;
  return &resource;
}

}  // namespace graspd::serve
