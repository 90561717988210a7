// Resolves names without blocking the event loop.
//
//   R1  The system's resolver blocks and cannot be interrupted. So it runs on a few threads,
//       started when needed, for which nobody waits: a thread that is still resolving when the
//       resolver is destroyed ends on its own, and its answer is dropped.
//   R2  Answers are remembered for a while, failures and empty ones for a shorter time.
//   R3  Limited: remembered names, waiting names, addresses per name.
//   R4  Used from one thread.
#pragma once
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "net/dialer.h"

namespace graspd::net {

class Resolver {
 public:
  using Answer = core::Result<std::vector<core::IpAddress>, std::string>;
  using TimePoint = std::chrono::steady_clock::time_point;

  static constexpr std::size_t kNamesMax = 4096;    // remembered
  static constexpr std::size_t kWaitingMax = 1024;  // in line for a thread
  static constexpr std::size_t kAddressesMax = 16;  // of one name

  explicit Resolver(const DialerOptions& options);
  ~Resolver();

  // nullopt: not known by the deadline. The resolver may die meanwhile.
  static Task<std::optional<Answer>> resolve(std::shared_ptr<Resolver> resolver, std::string host,
                                             TimePoint deadline);

 private:
  struct Pool;
  struct Question;
  struct Remembered {
    Answer answer;
    TimePoint until;
  };

  const Answer* remembered(const std::string& host);
  void remember(const std::string& host, const Answer& answer);

  const core::Duration name_lifetime_, error_lifetime_;
  std::map<std::string, Remembered> names_;
  std::shared_ptr<Pool> pool_;
};

}  // namespace graspd::net
