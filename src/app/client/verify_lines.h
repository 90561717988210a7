// What `graspd verify` prints, and how a server reports it (serve/fetch/verify_request.h).
#pragma once
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace graspd::app {

// What is known so far; prints as it comes.
class VerifyReport {
 public:
  enum class Result { Ok, Nothing, Broken };
  // Each repository once.
  void add(Result result, const std::string& repository, std::string_view problem);
  int finish() const;  // the exit code

 private:
  std::set<std::string> seen_;
  std::size_t broken_ = 0;
};

// One portion of a server's answer.
struct VerifyPortion {
  std::uint64_t number = 0, cursor = 0;
  std::size_t waiting = 0;
};
// nullopt: this is not how a server answers.
std::optional<VerifyPortion> take_portion(std::string_view text, VerifyReport& report);

}  // namespace graspd::app
