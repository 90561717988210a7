#include "net/later.h"

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <future>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "net/task_group.h"

namespace asio = boost::asio;

namespace graspd::net {
namespace later_test {

constexpr core::Duration kForEver{3'600'000};

struct Loop {
  void run(Task<void> task) {
    group.spawn(context.get_executor(), "test", std::move(task));
    context.run();
  }
  TaskGroup group;
  asio::io_context context;
};

struct Pool {
  ~Pool() { threads.join(); }
  PostFn post = [this](std::function<void()> work) { asio::post(threads, std::move(work)); };
  asio::thread_pool threads{2};
};

Task<void> note_after(std::vector<std::string>* notes, std::string note, core::Duration time) {
  co_await pause(time);
  notes->push_back(note);
}

Task<void> note_end(std::vector<std::string>* notes, std::string note, core::Duration time) {
  struct Note {
    std::vector<std::string>* notes;
    std::string note;
    ~Note() { notes->push_back(note); }
  };
  const Note at_end{notes, std::move(note)};
  co_await pause(time);
}

Task<void> fail_after(core::Duration time) {
  co_await pause(time);
  throw std::runtime_error("as told");
}

Task<void> call_both(std::vector<std::string>* notes) {
  co_await both(note_after(notes, "slow", core::Duration{20}),
                note_after(notes, "fast", core::Duration{1}));
  notes->push_back("both");
}

TEST(Later, BothReturnsWhenBothHaveEnded) {
  Loop loop;
  std::vector<std::string> notes;
  loop.run(call_both(&notes));
  EXPECT_EQ(notes, (std::vector<std::string>{"fast", "slow", "both"}));
}

Task<void> call_first(std::vector<std::string>* notes, std::size_t* winner) {
  *winner = co_await first(note_end(notes, "loser", kForEver),
                           note_after(notes, "winner", core::Duration{1}));
  notes->push_back("first");
}

TEST(Later, FirstCancelsTheLoserAndWaitsForIt) {  // R1 R2
  Loop loop;
  std::vector<std::string> notes;
  std::size_t winner = 9;
  loop.run(call_first(&notes, &winner));
  EXPECT_EQ(winner, 1u);
  EXPECT_EQ(notes, (std::vector<std::string>{"winner", "loser", "first"}));
}

Task<void> call_nested(std::vector<std::string>* notes) {
  co_await first(both(note_end(notes, "inner", kForEver), note_end(notes, "inner", kForEver)),
                 pause(core::Duration{1}));
  notes->push_back("outer");
}

TEST(Later, CancellationReachesTheInnermost) {  // R2
  Loop loop;
  std::vector<std::string> notes;
  loop.run(call_nested(&notes));
  EXPECT_EQ(notes, (std::vector<std::string>{"inner", "inner", "outer"}));
}

Task<void> call_failing(std::vector<std::string>* notes, bool with_first) {
  try {
    if (with_first)
      co_await first(note_end(notes, "other", kForEver), fail_after(core::Duration{1}));
    else
      co_await both(note_end(notes, "other", kForEver), fail_after(core::Duration{1}));
  } catch (const std::runtime_error& error) {
    notes->push_back(error.what());
  }
}

TEST(Later, AnExceptionCancelsTheOtherAndIsThrownOn) {
  for (const bool with_first : {false, true}) {
    Loop loop;
    std::vector<std::string> notes;
    loop.run(call_failing(&notes, with_first));
    EXPECT_EQ(notes, (std::vector<std::string>{"other", "as told"}));
  }
}

Task<void> call_away(PostFn post, std::vector<std::string>* notes) {
  const auto home = std::this_thread::get_id();
  auto work = [] { return std::this_thread::get_id(); };
  const auto abroad = co_await away(post, work);
  EXPECT_NE(abroad, home);
  EXPECT_EQ(std::this_thread::get_id(), home);
  auto silent = [notes] { notes->push_back("done"); };
  co_await away(post, silent);
  notes->push_back("back");
}

TEST(Later, WorkIsDoneOnAnotherThreadAndAwaitedOnTheOwn) {
  Loop loop;
  Pool pool;
  std::vector<std::string> notes;
  loop.run(call_away(pool.post, &notes));
  EXPECT_EQ(notes, (std::vector<std::string>{"done", "back"}));
}

Task<void> work_until(PostFn post, std::shared_future<void> told, std::atomic<bool>* done) {
  auto work = [told, done] {
    told.wait();
    *done = true;
  };
  co_await away(post, work);
}

Task<void> tell_after(core::Duration time, std::promise<void>* told, std::atomic<bool>* cancelled) {
  co_await pause(time);
  *cancelled = true;
  asio::post(co_await asio::this_coro::executor, [told] { told->set_value(); });
}

Task<void> call_cancelled_away(PostFn post, bool* waited) {
  std::promise<void> told;
  std::atomic<bool> done = false, cancelled = false;
  co_await first(work_until(post, told.get_future().share(), &done),
                 tell_after(core::Duration{5}, &told, &cancelled));
  *waited = done && cancelled;
}

TEST(Later, WorkIsAwaitedEvenByACancelledCoroutine) {  // R3
  Loop loop;
  Pool pool;
  bool waited = false;
  loop.run(call_cancelled_away(pool.post, &waited));
  EXPECT_TRUE(waited);
}

TEST(Later, WorkIsAwaitedEvenWhenTheLoopDies) {  // R3
  Pool pool;
  TaskGroup group;
  std::promise<void> told;
  std::atomic<bool> done = false;
  auto context = std::make_unique<asio::io_context>();
  group.spawn(context->get_executor(), "test",
              work_until(pool.post, told.get_future().share(), &done));
  context->poll();
  std::thread teller([&] { told.set_value(); });
  context.reset();
  EXPECT_TRUE(done);
  teller.join();
}

Task<void> call_dropped(std::vector<std::string>* notes) {
  auto drop = [](std::function<void()>) {};
  auto work = [] { return 1; };
  try {
    co_await away(drop, work);
  } catch (const std::exception&) {
    notes->push_back("dropped");
  }
}

TEST(Later, WorkThatIsDroppedCountsAsCancelled) {  // R4
  Loop loop;
  std::vector<std::string> notes;
  loop.run(call_dropped(&notes));
  EXPECT_EQ(notes, (std::vector<std::string>{"dropped"}));
}

}  // namespace later_test
}  // namespace graspd::net
