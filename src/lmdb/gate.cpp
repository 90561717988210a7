#include "lmdb/gate.h"

namespace graspd::lmdb {

void Gate::enter() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return closing_ == 0; });
  ++inside_;
}

void Gate::leave() {
  const std::lock_guard lock(mutex_);
  --inside_;
  if (inside_ == 0) changed_.notify_all();
}

}  // namespace graspd::lmdb
