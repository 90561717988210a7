#include "app/server/standard_descriptors.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace graspd::app {

bool hold_standard_descriptors() {
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(standard, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest free number is taken, and those below are in use.
    if (::open("/dev/null", O_RDWR) != standard) return false;
  }
  return true;
}

}  // namespace graspd::app
