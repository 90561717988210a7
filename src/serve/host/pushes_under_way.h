// Pushes that are allowed and whose packs are on their way: what they bring data for does not
// expire meanwhile, however slow the line is.
//
// Thread-safety: from any thread.
#pragma once
#include <memory>
#include <mutex>
#include <vector>

#include "grasp/policy.h"

namespace graspd::serve {

class PushesUnderWay {
 public:
  // As long as this lives.
  using Guard = std::shared_ptr<const grasp::BeingPushed>;

  [[nodiscard]] Guard enter(grasp::BeingPushed push) {
    Guard guard = std::make_shared<const grasp::BeingPushed>(std::move(push));
    std::lock_guard lock(mutex_);
    pushes_.push_back(guard);
    return guard;
  }
  std::vector<Guard> all() {
    std::lock_guard lock(mutex_);
    std::erase_if(pushes_, [](const auto& push) { return push.expired(); });
    std::vector<Guard> alive;
    for (const auto& push : pushes_)
      if (auto guard = push.lock()) alive.push_back(std::move(guard));
    return alive;
  }

 private:
  std::mutex mutex_;
  std::vector<std::weak_ptr<const grasp::BeingPushed>> pushes_;
};

}  // namespace graspd::serve
