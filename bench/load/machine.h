// How busy the machine is, and how much of that is this program and its children.
#pragma once

namespace graspd::load {

struct Machine {  // seconds since some beginning, summed over all cores
  double core_seconds = 0, busy = 0;
  double ours = 0;  // children count once they have ended
};
Machine read_machine();

}  // namespace graspd::load
