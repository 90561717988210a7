#include "app/run.h"
#include "app/server/standard_descriptors.h"

int main(int argc, char** argv) {
  if (!graspd::app::hold_standard_descriptors()) return 1;
  return graspd::app::run({argv + 1, argv + argc});
}
