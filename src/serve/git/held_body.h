// The body of a git request, whose beginning is held in memory until a process has work to do.
//
//   R1  A client that sends slowly occupies no process: up to kHeldBytesMax are read before one is
//       requested. Nearly every fetch and most pushes are complete by then; longer bodies must keep
//       up a minimum rate (net/exchange.h).
//   R2  The memory held by all requests together is limited. When it is used up, nothing more is
//       held, and the body is read as the process takes it.
#pragma once
#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "net/exchange.h"
#include "serve/runtime/number.h"

namespace graspd::serve {

// R2. Shared by all network threads.
class HeldBytes {
 public:
  explicit HeldBytes(std::size_t most) : most_(most) {}
  bool take(std::size_t bytes);
  void give_back(std::size_t bytes) { held_ -= bytes; }
  std::size_t held() const { return held_; }

 private:
  const std::size_t most_;
  std::atomic<std::size_t> held_ = 0;
};

class HeldBody {
 public:
  static constexpr std::size_t kHeldBytesMax = 64 * 1024;

  HeldBody(std::shared_ptr<net::Exchange> exchange, HeldBytes& all, Number& bytes_in)
      : exchange_(std::move(exchange)), all_(all), bytes_in_(bytes_in) {}
  HeldBody(const HeldBody&) = delete;
  HeldBody& operator=(const HeldBody&) = delete;
  ~HeldBody() { release(); }

  // Past what is held. Empty at the end of the body.
  net::Task<core::Result<std::string_view, net::NetError>> read();
  // R1. Returns when the beginning is held, the body has ended or it has failed: false then.
  net::Task<bool> hold();
  // What was read by another way comes first.
  void put_back(std::string bytes) { held_ = std::move(bytes); }
  // What is held, then what read() brings. Valid until the next call; nullopt: it has failed.
  net::Task<std::optional<std::string_view>> next();

  std::string_view beginning() const { return held_; }  // what is held and was not given yet
  bool is_whole() const { return ended_; }              // the client has sent all of it

 private:
  void release();

  const std::shared_ptr<net::Exchange> exchange_;
  HeldBytes& all_;
  Number& bytes_in_;
  std::string held_;
  std::string given_;  // what next() gave of it
  std::size_t charged_ = 0;
  bool ended_ = false;
};

}  // namespace graspd::serve
