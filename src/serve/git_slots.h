// How many git processes run at a time, over all and per client.
//
//   R1  Who finds no slot waits, first come, first served among those whose address may have more.
//   R2  Who waits longer than `patience` goes without.
#pragma once
#include <atomic>
#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "core/ip_address.h"
#include "core/time.h"
#include "net/server.h"
#include "net/signal.h"

namespace graspd::serve {

struct GitSlotLimits {
  std::size_t processes_max = 64;         // 0: no limit
  std::size_t processes_per_ip_max = 32;  // 0: no limit
  core::Duration patience = std::chrono::minutes(2);
};

class GitSlots {
 public:
  GitSlots(const GitSlotLimits& limits, net::Server& server) : limits_(limits), server_(server) {}

  class Slot {
   public:
    Slot(GitSlots& slots, core::IpAddress client) : slots_(&slots), client_(client) {}
    Slot(Slot&& other) noexcept
        : slots_(std::exchange(other.slots_, nullptr)), client_(other.client_) {}
    Slot& operator=(Slot&&) = delete;
    ~Slot() {
      if (slots_) slots_->give_back(client_);
    }

   private:
    GitSlots* slots_;
    core::IpAddress client_;
  };

  // On network thread `thread`.
  net::Task<std::optional<Slot>> take(core::IpAddress client, std::size_t thread);
  std::size_t taken() const;

 private:
  struct Waiter {
    core::IpAddress client;
    std::size_t thread;
    net::Signal word;
    std::atomic<bool> granted{false};
  };

  static net::Task<void> wait_for_grant(std::shared_ptr<Waiter> waiter);
  bool has_room(const core::IpAddress& client) const;
  void grant(const core::IpAddress& client);
  void give_back(const core::IpAddress& client);
  void give_up(const std::shared_ptr<Waiter>& waiter);
  void wake_waiters();

  const GitSlotLimits limits_;
  net::Server& server_;
  mutable std::mutex mutex_;
  std::size_t taken_ = 0;
  std::map<core::IpAddress, std::size_t> by_client_;
  std::list<std::shared_ptr<Waiter>> waiters_;
};

}  // namespace graspd::serve
