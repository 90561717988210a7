#include "core/file_descriptor.h"

#include <unistd.h>

namespace graspd::core {

void FileDescriptor::reset() {
  if (fd_ >= 0) ::close(release());
}

}  // namespace graspd::core
