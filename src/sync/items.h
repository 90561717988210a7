// What is followed on a relay: wanted, in flight or confirmed (sync.md §4). All three have one
// type, so that planning is set algebra: new = target - pending - confirmed.
#pragma once
#include "sync/id_set.h"

namespace graspd::sync {

struct Items {
  IdSet repos;   // RepoId, followed in full
  IdSet states;  // RepoId, of which only states are followed
  IdSet roots;   // RootId

  bool empty() const { return repos.empty() && states.empty() && roots.empty(); }
  std::size_t size() const { return repos.size() + states.size() + roots.size(); }
  void clear() { *this = {}; }

  Items& operator|=(const Items& other) {
    repos |= other.repos;
    states |= other.states;
    roots |= other.roots;
    return *this;
  }
  Items& operator-=(const Items& other) {
    repos -= other.repos;
    states -= other.states;
    roots -= other.roots;
    return *this;
  }
  Items& operator&=(const Items& other) {
    repos &= other.repos;
    states &= other.states;
    roots &= other.roots;
    return *this;
  }
  friend Items operator|(Items a, const Items& b) { return std::move(a |= b); }
  friend Items operator-(const Items& a, const Items& b) {
    return {a.repos - b.repos, a.states - b.states, a.roots - b.roots};
  }
  friend Items operator-(Items&& a, const Items& b) { return std::move(a -= b); }
  friend Items operator&(const Items& a, const Items& b) {
    return {a.repos & b.repos, a.states & b.states, a.roots & b.roots};
  }
  bool operator==(const Items&) const = default;
};

// compute_actions: the only place that decides on new work.
inline Items new_work(const Items& target, const Items& pending, const Items& confirmed) {
  return target - confirmed - pending;  // in this order the intermediate result is small
}

}  // namespace graspd::sync
