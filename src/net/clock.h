// The only place that asks what time it is.
#pragma once
#include "core/time.h"

namespace graspd::net {

core::Now now();

}  // namespace graspd::net
