// Why a conversation with a peer or a process ended.
#pragma once

namespace graspd::net {

enum class NetError { Closed, TimedOut, Protocol, TooBig, Failed };

}  // namespace graspd::net
