// Keeps a log readable when something goes wrong a thousand times a second.
//
//   R1  A line is let through once in a window; the same text again within it is only counted.
//   R2  When the window is over, a line that was held back is reported once, with its count.
//   R3  At most kRemembered texts are remembered; the oldest is forgotten (and reported) first.
// Not thread-safe.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/log.h"
#include "core/time.h"

namespace graspd::app {

class RepeatFilter {
 public:
  static constexpr core::Duration kWindow{60'000};
  static constexpr std::size_t kRemembered = 1'000;

  struct Line {
    core::log::Level level;
    std::string text;
  };

  // What to write now, in order: reports of R2 that are due, and the line unless it is held back.
  std::vector<Line> pass(core::Instant now, core::log::Level level, std::string_view text);
  // Everything held back and not yet reported.
  std::vector<Line> flush();

 private:
  struct Seen {
    core::Instant until;
    core::log::Level level;
    std::uint64_t held_back = 0;
  };
  using Lines = std::map<std::string, Seen, std::less<>>;

  void forget_oldest(std::vector<Line>& reports);

  Lines seen_;
  std::deque<Lines::iterator> by_age_;
};

}  // namespace graspd::app
