#include "serve/runtime/members.h"

#include <utility>

namespace graspd::serve {

std::shared_ptr<const relay::MemberSet> Members::now() const {
  const std::lock_guard lock(mutex_);
  return members_;
}

template <class Change>
void Members::change(const Change& change) {
  const std::lock_guard changing(changing_);
  auto changed = std::make_shared<relay::MemberSet>(*now());
  if (!change(*changed)) return;
  {
    const std::lock_guard lock(mutex_);
    members_ = std::move(changed);
  }
  for (const Listener& listener : listeners_) listener();  // R2
}

void Members::use_named(relay::Keys named) {
  change([&](relay::MemberSet& members) { return members.use_named(std::move(named)); });
}

void Members::use_derived(relay::Keys derived) {
  change([&](relay::MemberSet& members) { return members.use_derived(std::move(derived)); });
}

void Members::listen(Listener listener) {
  const std::lock_guard changing(changing_);
  listeners_.push_back(std::move(listener));
}

void Members::close() {
  const std::lock_guard changing(changing_);
  listeners_.clear();
}

}  // namespace graspd::serve
