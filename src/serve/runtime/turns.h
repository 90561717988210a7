// Decides which of the waiting jobs gets the next free thread.
//
//   R1  Parties take turns, one job each: a party with many jobs delays itself, not others.
//   R2  The connections of one party take turns too, because many people may share an address.
//   R3  A party is an IPv4 address, or an IPv6 /64, which is what one customer gets.
//   R4  The jobs of one connection run in the order they were given.
//
// Not thread-safe.
#pragma once
#include <cstdint>
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

struct Asker {
  Party party;
  std::uint64_t connection = 0;
};

// Keys in the order of their turns, each with what waits under it.
template <class Key, class Waiting>
class Rota {
 public:
  bool empty() const { return order_.empty(); }

  Waiting& at(const Key& key) {
    auto [found, is_new] = waiting_.try_emplace(key);
    if (is_new) order_.push_back(key);
    return found->second;
  }
  // The turn of the first key, which uses up some of what waits under it.
  auto take_turn(const auto& use) {
    auto found = waiting_.find(order_.front());
    auto taken = use(found->first, found->second);
    if (found->second.empty())
      waiting_.erase(found);
    else
      order_.push_back(found->first);
    order_.pop_front();
    return taken;
  }

 private:
  std::map<Key, Waiting> waiting_;  // none is empty between calls
  std::deque<Key> order_;           // the keys of waiting_
};

class Turns {
 public:
  struct Next {
    Asker asker;
    Job job;
  };

  bool empty() const { return parties_.empty(); }
  void add(const Asker& asker, Job job);
  Next take();  // not when empty

 private:
  Rota<Party, Rota<std::uint64_t, std::deque<Job>>> parties_;
};

}  // namespace graspd::serve
