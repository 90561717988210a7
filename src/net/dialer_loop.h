// An event loop for callers without one: a command runs one coroutine and ends.
#pragma once
#include "net/task.h"

namespace graspd::net {

// Runs `task` on this thread until it and every goodbye it left behind are done.
int run_to_end(Task<int> task);

}  // namespace graspd::net
