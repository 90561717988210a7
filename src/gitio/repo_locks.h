// One writer per repository at a time. Blocks: for worker threads.
//
//   R1  First come, first served.
//   R2  A key that nobody holds or waits for takes no memory.
//   R3  A caller that gives up waiting leaves the queue and delays nobody.
//
// Thread-safety: all of it. A Guard may be released on another thread than took it; the locks
// outlive their guards.
#pragma once
#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "core/time.h"

namespace graspd::gitio {

class RepoLocks {
 public:
  class Guard {
   public:
    Guard(Guard&& other) noexcept;
    Guard& operator=(Guard&& other) noexcept;
    ~Guard();
    const std::string& key() const { return key_; }

   private:
    friend class RepoLocks;
    Guard(RepoLocks& locks, std::string key) : locks_(&locks), key_(std::move(key)) {}

    RepoLocks* locks_;
    std::string key_;
  };

  RepoLocks() = default;
  RepoLocks(const RepoLocks&) = delete;
  RepoLocks& operator=(const RepoLocks&) = delete;
  ~RepoLocks();

  Guard lock(const std::string& key);
  std::optional<Guard> lock_for(const std::string& key, core::Duration patience);

  std::size_t size() const;                           // keys held now
  std::size_t waiting(const std::string& key) const;  // in the queue for this one

 private:
  struct Waiter;
  using Queue = std::list<Waiter*>;  // of those who wait; the holder is not in it

  void unlock(const std::string& key);

  mutable std::mutex mutex_;
  std::map<std::string, Queue> held_;
};

}  // namespace graspd::gitio
