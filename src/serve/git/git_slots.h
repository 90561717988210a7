// Limits how many git processes run at a time, in total and per client.
//
//   R1  One address has at most a quarter of the slots, and at least one. An IPv6 client is the /64
//       of its address.
//   R2  A request that finds no slot waits. Waiting addresses take turns; the requests of one
//       address are served in order.
//   R3  The memory that all processes may use stays below `memory_max`, including those that our
//       own threads start; one address has at most a quarter of it. A single process always fits.
//   R4  A request gets no slot if it waits longer than `patience`, or if its client leaves
//       meanwhile.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "core/ip_address.h"
#include "core/time.h"
#include "net/exchange.h"
#include "net/server.h"
#include "net/signal.h"

namespace graspd::serve {

struct GitSlotLimits {
  std::size_t processes_max = 64;         // 0: no limit
  std::size_t processes_per_ip_max = 16;  // 0: none but R1
  core::Duration patience = std::chrono::minutes(2);
  std::uint64_t memory_max = 0;  // 0: no limit

  std::size_t per_address() const;  // 0: no limit
  // An advertisement is short work: a quarter as many, beside the others.
  GitSlotLimits for_advertisements() const;
};

class GitSlots {
 public:
  // `elsewhere`: the memory of processes that need no slot.
  GitSlots(const GitSlotLimits& limits, net::Server& server,
           std::function<std::uint64_t()> elsewhere = nullptr)
      : limits_(limits), server_(server), elsewhere_(std::move(elsewhere)) {}

  class Slot {
   public:
    Slot(GitSlots& slots, core::IpAddress client, std::uint64_t memory)
        : slots_(&slots), client_(client), memory_(memory) {}
    Slot(Slot&& other) noexcept
        : slots_(std::exchange(other.slots_, nullptr)),
          client_(other.client_),
          memory_(other.memory_) {}
    Slot& operator=(Slot&&) = delete;
    ~Slot() {
      if (slots_) slots_->give_back(client_, memory_);
    }
    // It has turned out to need no more than this.
    void shrink_to(std::uint64_t memory);

   private:
    GitSlots* slots_;
    core::IpAddress client_;
    std::uint64_t memory_;
  };

  // On the exchange's network thread. `memory`: what the process may use.
  net::Task<std::optional<Slot>> take(core::IpAddress client,
                                      std::shared_ptr<net::Exchange> exchange,
                                      std::uint64_t memory);
  std::size_t taken() const;
  std::uint64_t memory() const;
  std::size_t waiting() const;

 private:
  struct Waiter {
    core::IpAddress client;
    std::uint64_t memory = 0;
    std::size_t thread = 0;
    net::Signal word;
    std::atomic<bool> granted{false};
  };
  using Queue = std::list<std::shared_ptr<Waiter>>;
  struct Account {
    std::size_t taken = 0;
    std::uint64_t memory = 0;
    Queue waiting;
  };

  net::Task<void> wait_for_grant(std::shared_ptr<Waiter> waiter);
  static net::Task<void> wait_for_word(std::shared_ptr<Waiter> waiter);
  void look_again();
  static net::Task<void> lose_patience(std::shared_ptr<net::Exchange> exchange,
                                       core::Duration patience);
  bool has_space(const Account& account, std::uint64_t memory) const;
  bool has_memory(const Account& account, std::uint64_t memory) const;
  void grant(Account& account, std::uint64_t memory);
  void enqueue(const std::shared_ptr<Waiter>& waiter);
  void give_back(const core::IpAddress& client, std::uint64_t memory);
  void shrink(const core::IpAddress& client, std::uint64_t by);
  void give_up(const std::shared_ptr<Waiter>& waiter);
  void wake_waiters();
  void forget_if_idle(const core::IpAddress& client);

  const GitSlotLimits limits_;
  net::Server& server_;
  const std::function<std::uint64_t()> elsewhere_;
  mutable std::mutex mutex_;
  std::size_t taken_ = 0, waiting_ = 0;
  std::uint64_t memory_ = 0;
  std::map<core::IpAddress, Account> accounts_;  // of those who have a slot or wait for one
  std::list<core::IpAddress> turns_;             // those with waiters, the next to be served first
};

}  // namespace graspd::serve
