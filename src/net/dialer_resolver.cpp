#include "net/dialer_resolver.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "net/system_lookup.h"

namespace asio = boost::asio;

namespace graspd::net {

using core::Failure;

// What the coroutine that asks shares with the thread that answers. The coroutine leaves it when
// its frame dies, be it with the whole event loop: nothing is posted to that afterwards.
struct Resolver::Question {
  std::string host;
  std::mutex mutex;  // guards the rest
  asio::steady_timer* asker = nullptr;
  std::optional<Answer> answer;

  bool is_wanted() {
    const std::lock_guard lock(mutex);
    return asker != nullptr;
  }
  static void reply(const std::shared_ptr<Question>& question, Answer answer) {
    const std::lock_guard lock(question->mutex);
    question->answer = std::move(answer);
    if (!question->asker) return;
    asio::post(question->asker->get_executor(), [question] {
      const std::lock_guard inner(question->mutex);
      if (question->asker) question->asker->cancel();
    });
  }
};

struct Resolver::Pool {
  Lookup lookup;
  std::size_t threads_max;
  std::mutex mutex;  // guards the rest
  std::condition_variable changed;
  std::deque<std::shared_ptr<Question>> waiting;
  std::size_t threads = 0, idle = 0;
  bool closed = false;

  static bool ask(const std::shared_ptr<Pool>& pool, std::shared_ptr<Question> question) {
    const std::lock_guard lock(pool->mutex);
    if (pool->waiting.size() >= kWaitingMax) return false;
    pool->waiting.push_back(std::move(question));
    pool->changed.notify_one();
    if (pool->idle < pool->waiting.size() && pool->threads < pool->threads_max) {
      ++pool->threads;
      std::thread([pool] { pool->run(); }).detach();  // R1
    }
    return true;
  }
  std::shared_ptr<Question> next() {
    std::unique_lock lock(mutex);
    ++idle;
    changed.wait(lock, [this] { return closed || !waiting.empty(); });
    --idle;
    if (closed) return nullptr;
    auto question = std::move(waiting.front());
    waiting.pop_front();
    return question;
  }
  void run() {
    while (const auto question = next()) {
      if (!question->is_wanted()) continue;
      auto answer = lookup(question->host);
      if (answer && answer->size() > kAddressesMax) answer->resize(kAddressesMax);
      Question::reply(question, std::move(answer));
    }
  }
};

Resolver::Resolver(const DialerOptions& options)
    : name_lifetime_(options.name_lifetime),
      error_lifetime_(options.error_lifetime),
      pool_(std::make_shared<Pool>()) {
  pool_->lookup = options.lookup ? options.lookup : system_lookup;
  pool_->threads_max = std::max<std::size_t>(1, options.lookup_threads);
}

Resolver::~Resolver() {
  const std::lock_guard lock(pool_->mutex);
  pool_->closed = true;
  pool_->changed.notify_all();
}

const Resolver::Answer* Resolver::remembered(const std::string& host) {
  const auto found = names_.find(host);
  if (found == names_.end()) return nullptr;
  if (found->second.until > std::chrono::steady_clock::now()) return &found->second.answer;
  names_.erase(found);
  return nullptr;
}

void Resolver::remember(const std::string& host, const Answer& answer) {
  const TimePoint now = std::chrono::steady_clock::now();
  if (names_.size() >= kNamesMax)
    std::erase_if(names_, [now](const auto& entry) { return entry.second.until <= now; });
  if (names_.size() >= kNamesMax) names_.clear();  // cheaper than choosing, and rare
  const bool is_found = answer && !answer->empty();
  names_.insert_or_assign(host,
                          Remembered{answer, now + (is_found ? name_lifetime_ : error_lifetime_)});
}

Task<std::optional<Resolver::Answer>> Resolver::resolve(std::shared_ptr<Resolver> resolver,
                                                        std::string host, TimePoint deadline) {
  if (const Answer* known = resolver->remembered(host)) co_return *known;
  asio::steady_timer timer(co_await asio::this_coro::executor, deadline);
  const auto question = std::make_shared<Question>();
  question->host = host;
  question->asker = &timer;
  const auto leave = [](Question* left) {
    const std::lock_guard lock(left->mutex);
    left->asker = nullptr;
  };
  const std::unique_ptr<Question, decltype(leave)> asking(question.get(), leave);
  if (!Pool::ask(resolver->pool_, question))
    co_return Answer(Failure{std::string("too many names are being looked up")});
  co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
  std::optional<Answer> answer;
  {
    const std::lock_guard lock(question->mutex);
    answer = std::move(question->answer);
  }
  if (answer) resolver->remember(host, *answer);
  co_return answer;
}

}  // namespace graspd::net
