// Clocks and the middle of many readings.
#pragma once
#include <cstddef>
#include <sys/types.h>
#include <vector>

namespace graspd::load {

double wall_seconds();
double own_cpu_seconds();
double thread_cpu_seconds();

// All threads of another process, those that ended included.
double cpu_seconds_of(pid_t process);

// `share` 0.5 is the median. 0 for no readings.
double quantile(std::vector<double> readings, double share);
inline double median(std::vector<double> readings) { return quantile(std::move(readings), 0.5); }

// Nothing here waits for ever: a loop asks this whether its time is over.
class Deadline {
 public:
  explicit Deadline(double seconds) : end_(wall_seconds() + seconds) {}
  bool passed() const { return wall_seconds() >= end_; }

 private:
  double end_;
};

}  // namespace graspd::load
