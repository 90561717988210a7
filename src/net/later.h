// What a coroutine may wait for: time, other coroutines, work on other threads.
//
//   R1  Nothing keeps running in the background: what both() and first() start has ended when they
//       return.
//   R2  Cancelling a task throws in it, from the operation it waits for, and unwinds it. Cancelling
//       the caller of both() or first() cancels both tasks.
//   R3  away() returns when its work is done; not even cancellation or the end of the event loop
//       returns earlier. So the work may refer to the coroutine's variables.
//   R4  Work that throws stops the program. Work that is dropped before it runs counts as
//       cancelled.
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include "core/time.h"
#include "net/task.h"

namespace graspd::net {

Task<void> pause(core::Duration time);

// Until both have ended. An exception in one cancels the other and is thrown on.
Task<void> both(Task<void> a, Task<void> b);

// Until one has ended: its index. The other is cancelled and awaited. An exception of either is
// thrown on.
Task<std::size_t> first(Task<void> a, Task<void> b);

// Hands work to a pool of threads, which runs or destroys what it is given.
using PostFn = std::function<void(std::function<void()>)>;

Task<void> run_away(PostFn post, std::function<void()> work);

// Runs `work` on the pool and goes on, on the coroutine's own thread, with its result.
template <class Work>
Task<std::invoke_result_t<Work&>> away(PostFn post, Work work) {
  using T = std::invoke_result_t<Work&>;
  if constexpr (std::is_void_v<T>) {
    co_await run_away(std::move(post), std::move(work));
  } else {
    std::optional<T> result;
    std::function<void()> job = [&result, &work] { result.emplace(work()); };
    co_await run_away(std::move(post), std::move(job));
    co_return std::move(*result);
  }
}

}  // namespace graspd::net
