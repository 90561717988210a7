// Who is next of those that wait for a thread.
//
//   R1  Parties take turns, one job each: who asks for much waits for his own, not others for him.
//   R2  The jobs of one party come in the order they were given.
//   R3  A household is one party: an IPv4 address, or the 64 bits of IPv6 a customer is given.
//
// Not thread-safe.
#pragma once
#include <deque>
#include <functional>
#include <map>

#include "core/ip_address.h"

namespace graspd::serve {

using Party = core::IpAddress;
Party party_of(const core::IpAddress& address);  // R3

// What a job says after a while: a long one does some of its work and comes again.
enum class Turn { Over, Again };
using Job = std::function<Turn()>;

class Turns {
 public:
  struct Next {
    Party party;
    Job job;
  };

  bool empty() const { return parties_.empty(); }
  void add(const Party& party, Job job);
  Next take();  // not when empty

 private:
  std::map<Party, std::deque<Job>> jobs_;  // none is empty
  std::deque<Party> parties_;              // the keys of jobs_, in the order of their turns
};

}  // namespace graspd::serve
