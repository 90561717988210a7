// Lets readers pass, except while the memory map is moved: then nobody may use the map.
//
//   R1  Once somebody wants to close the gate, new readers wait, so that the ones inside finish.
//   R2  Closing gives up after a while: a reader that never finishes must not stop the server.
#pragma once
#include <condition_variable>
#include <cstddef>
#include <mutex>

#include "core/time.h"

namespace graspd::lmdb {

class Gate {
 public:
  // Held by each snapshot; may be let go by another thread than took it.
  class Pass {
   public:
    explicit Pass(Gate& gate) : gate_(&gate) { gate_->enter(); }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;
    ~Pass() { gate_->leave(); }

   private:
    Gate* gate_;
  };

  // Runs `work` while nobody is inside; false if they did not leave in time.
  template <class Work>
  bool run_alone(core::Duration patience, const Work& work) {
    std::unique_lock lock(mutex_);
    ++closing_;
    const bool alone = changed_.wait_for(lock, patience, [this] { return inside_ == 0; });
    const Reopen reopen{*this};
    if (alone) work();
    return alone;
  }

 private:
  struct Reopen {
    Gate& gate;
    ~Reopen() {
      --gate.closing_;
      gate.changed_.notify_all();
    }
  };
  void enter();
  void leave();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t inside_ = 0;
  std::size_t closing_ = 0;
};

}  // namespace graspd::lmdb
