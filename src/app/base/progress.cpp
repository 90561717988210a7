#include "app/base/progress.h"

#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

#include "net/clock.h"

namespace graspd::app {
namespace {

constexpr core::Duration kOnTerminal{200};
constexpr core::Duration kInLog{10'000};

}  // namespace

Progress::Progress()
    : terminal_(::isatty(STDERR_FILENO) == 1),
      started_at_(net::now().instant),
      said_at_(started_at_) {}

Progress::~Progress() {
  if (line_is_open_) std::fputc('\n', stderr);
}

void Progress::tick(const std::function<std::string()>& text) {
  const core::Instant now = net::now().instant;
  if (now - said_at_ < (terminal_ ? kOnTerminal : kInLog)) return;  // R1
  said_at_ = now;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - started_at_).count();
  if (terminal_) {
    fmt::print(stderr, "\r\x1b[K{} s: {}", seconds, text());
    line_is_open_ = true;
  } else {
    fmt::print(stderr, "{} s: {}\n", seconds, text());
  }
}

}  // namespace graspd::app
