// Why a conversation with a peer or a process ended.
#pragma once

namespace graspd::net {

enum class NetError {
  Closed,
  TimedOut,
  TooSlow,  // a message began and did not come to its end in time
  Protocol,
  TooBig,
  Failed,
};

}  // namespace graspd::net
