#include "lmdb/merge.h"

#include <algorithm>

namespace graspd::lmdb {

void Merge::add(std::uint32_t label, std::unique_ptr<PageSource> source) {
  const Page page = source->next();
  if (page.empty()) return;
  heap_.push_back({page.data(), page.data() + page.size(), source.get(), label});
  std::push_heap(heap_.begin(), heap_.end(), later);
  sources_.push_back(std::move(source));
}

bool Merge::turn_page() {
  Head& head = heap_.front();
  const Page page = head.source->next();
  head.at = page.data();
  head.end = page.data() + page.size();
  return !page.empty();
}

void Merge::drop() {
  heap_.front() = heap_.back();
  heap_.pop_back();
  if (!heap_.empty()) sink();
}

void Merge::sink() {
  std::size_t at = 0;
  for (;;) {
    std::size_t child = 2 * at + 1;
    if (child >= heap_.size()) return;
    if (child + 1 < heap_.size() && later(heap_[child], heap_[child + 1])) ++child;
    if (!later(heap_[at], heap_[child])) return;
    std::swap(heap_[at], heap_[child]);
    at = child;
  }
}

}  // namespace graspd::lmdb
