// NGIT_TEST as a set of options: a test suite waits for everything that an operator never sees.
//
//   R1  A setting that differs from its default stays as it is.
//   R2  Without NGIT_TEST nothing changes.
#pragma once
#include "app/config/settings.h"

namespace graspd::app {

Settings with_test_options(Settings settings);

}  // namespace graspd::app
