#include "net/dialer_loop.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <exception>
#include <utility>

namespace graspd::net {

int run_to_end(Task<int> task) {
  int result = 0;
  boost::asio::io_context context{1};
  boost::asio::co_spawn(context, std::move(task), [&](const std::exception_ptr& failure, int code) {
    if (failure) std::rethrow_exception(failure);
    result = code;
  });
  context.run();
  return result;
}

}  // namespace graspd::net
