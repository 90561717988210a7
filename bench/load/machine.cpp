#include "load/machine.h"

#include <fstream>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

namespace graspd::load {
namespace {

double cpu_seconds(int who) {
  rusage usage{};
  ::getrusage(who, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

Machine read_machine() {
  std::ifstream file("/proc/stat");
  std::string cpu;
  double user = 0, nice = 0, system = 0, idle = 0, waiting = 0, irq = 0, soft_irq = 0, stolen = 0;
  file >> cpu >> user >> nice >> system >> idle >> waiting >> irq >> soft_irq >> stolen;
  const double busy = user + nice + system + irq + soft_irq + stolen;
  const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  return {(busy + idle + waiting) / ticks, busy / ticks,
          cpu_seconds(RUSAGE_SELF) + cpu_seconds(RUSAGE_CHILDREN)};
}

}  // namespace graspd::load
