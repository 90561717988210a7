// How far a long command is, on stderr: rewritten in place on a terminal, a line now and then in
// a log.
//
//   R1  On a terminal at most every 200 ms, elsewhere at most every 10 s.
#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "core/time.h"

namespace graspd::app {

class Progress {
 public:
  Progress();   // on this process's stderr
  ~Progress();  // ends the line on a terminal

  // Says `text()` if it is time; it is not called otherwise.
  void tick(const std::function<std::string()>& text);

 private:
  bool terminal_;
  bool line_is_open_ = false;
  core::Instant started_at_, said_at_;
};

}  // namespace graspd::app
