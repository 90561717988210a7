#include "serve/git/held_body.h"

#include <utility>

namespace graspd::serve {

bool HeldBytes::take(std::size_t bytes) {
  if (held_.fetch_add(bytes) + bytes <= most_) return true;
  held_ -= bytes;
  return false;
}

net::Task<core::Result<std::string_view, net::NetError>> HeldBody::read() {
  if (ended_) co_return std::string_view();
  const auto bytes = co_await exchange_->read();
  if (!bytes) co_return core::Failure{bytes.error()};
  bytes_in_ += bytes->size();
  ended_ = bytes->empty();
  co_return *bytes;
}

net::Task<bool> HeldBody::hold() {
  while (!ended_ && held_.size() < kHeldBytesMax) {
    const auto bytes = co_await read();
    if (!bytes) co_return false;
    held_ += *bytes;
    if (!all_.take(bytes->size())) break;
    charged_ += bytes->size();
  }
  co_return true;
}

net::Task<std::optional<std::string_view>> HeldBody::next() {
  if (!held_.empty()) {
    given_ = std::exchange(held_, {});
    co_return given_;
  }
  given_ = {};
  release();
  const auto bytes = co_await read();
  if (!bytes) co_return std::nullopt;
  co_return *bytes;
}

void HeldBody::release() { all_.give_back(std::exchange(charged_, 0)); }

}  // namespace graspd::serve
