// Coroutines of the edges. Owned by a TaskGroup, take values, decide nothing.
#pragma once
#include <boost/asio/awaitable.hpp>

namespace graspd::net {

template <class T>
using Task = boost::asio::awaitable<T>;

}  // namespace graspd::net
