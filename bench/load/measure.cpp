#include "load/measure.h"

#include <algorithm>
#include <time.h>

#include "load/failure.h"

namespace graspd::load {
namespace {

double read_clock(clockid_t clock) {
  timespec time{};
  if (clock_gettime(clock, &time) != 0) throw Failed("a clock cannot be read");
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace

double wall_seconds() { return read_clock(CLOCK_MONOTONIC); }
double own_cpu_seconds() { return read_clock(CLOCK_PROCESS_CPUTIME_ID); }
double thread_cpu_seconds() { return read_clock(CLOCK_THREAD_CPUTIME_ID); }

double cpu_seconds_of(pid_t process) {
  clockid_t clock{};
  if (clock_getcpuclockid(process, &clock) != 0) throw Failed("the server is gone");
  return read_clock(clock);
}

double quantile(std::vector<double> readings, double share) {
  if (readings.empty()) return 0;
  const auto index = static_cast<std::size_t>(share * static_cast<double>(readings.size() - 1));
  const auto middle = readings.begin() + static_cast<std::ptrdiff_t>(index);
  std::nth_element(readings.begin(), middle, readings.end());
  return *middle;
}

}  // namespace graspd::load
