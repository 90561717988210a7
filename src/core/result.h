// A value or the reason there is none. Shaped like std::expected so that C++23 can replace it.
#pragma once
#include <utility>
#include <variant>

#include "core/check.h"

namespace graspd::core {

template <class E>
struct Failure {
  E error;
};
template <class E>
Failure(E) -> Failure<E>;

template <class T, class E>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Failure<E> failure) : state_(std::in_place_index<1>, std::move(failure.error)) {}

  explicit operator bool() const { return state_.index() == 0; }

  const T& operator*() const& {
    CHECK(*this);
    return *std::get_if<0>(&state_);
  }
  T& operator*() & {
    CHECK(*this);
    return *std::get_if<0>(&state_);
  }
  T&& operator*() && {
    CHECK(*this);
    return std::move(*std::get_if<0>(&state_));
  }
  const T* operator->() const { return &**this; }
  T* operator->() { return &**this; }

  const E& error() const& {
    CHECK(!*this);
    return *std::get_if<1>(&state_);
  }
  E&& error() && {
    CHECK(!*this);
    return std::move(*std::get_if<1>(&state_));
  }

 private:
  std::variant<T, E> state_;
};

// The result of doing something that yields nothing but may fail.
struct Done {};

}  // namespace graspd::core
