// What pushes bring at the same time into one repository, counted together while it comes: each for
// itself could fill all the space that is left.
//
//   R1  A push is told what has come since it began, its own and others'. What was kept before that
//       is on disk, and counts there.
//   R2  What is not kept counts until its push ends.
//
// Thread-safety: from any thread.
#pragma once
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace graspd::serve {

class ReceivedBytes {
 public:
  // Of one push, as long as it lasts.
  class Share {
   public:
    Share(ReceivedBytes& all, std::string key) : all_(all), key_(std::move(key)) {
      std::lock_guard lock(all_.mutex_);
      Count& count = all_.counts_[key_];
      ++count.pushes;
      kept_before_ = count.kept;
    }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;
    ~Share() {
      std::lock_guard lock(all_.mutex_);
      const auto at = all_.counts_.find(key_);
      at->second.under_way -= own_;
      if (--at->second.pushes == 0) all_.counts_.erase(at);
    }
    // R1
    std::uint64_t add(std::uint64_t bytes) {
      std::lock_guard lock(all_.mutex_);
      Count& count = all_.counts_.at(key_);
      own_ += bytes;
      count.under_way += bytes;
      return count.under_way + (count.kept - kept_before_);
    }
    void keep() {
      std::lock_guard lock(all_.mutex_);
      Count& count = all_.counts_.at(key_);
      const std::uint64_t own = std::exchange(own_, 0);
      count.under_way -= own;
      count.kept += own;
    }

   private:
    ReceivedBytes& all_;
    const std::string key_;
    std::uint64_t own_ = 0, kept_before_ = 0;
  };

 private:
  struct Count {
    std::uint64_t under_way = 0, kept = 0;
    std::size_t pushes = 0;
  };

  std::mutex mutex_;
  std::map<std::string, Count> counts_;
};

}  // namespace graspd::serve
