#include "serve/host/pull_batches.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <gtest/gtest.h>
#include <set>

namespace graspd::serve::pull_batches_test {
namespace {

using namespace std::chrono_literals;

grasp::Identifier name(const char* text) { return *grasp::Identifier::parse(text); }

nostr::EventId id(unsigned number) {
  std::array<std::uint8_t, 32> bytes{};
  bytes[0] = static_cast<std::uint8_t>(number);
  bytes[1] = static_cast<std::uint8_t>(number >> 8U);
  return nostr::EventId(bytes);
}

// Looks that end when they are let go.
struct Looks {
  std::mutex mutex;
  std::condition_variable changed;
  std::map<grasp::Identifier, std::size_t> now, most;
  std::vector<std::size_t> sizes;
  bool open = false;

  void look(const grasp::Identifier& identifier, const std::vector<nostr::EventId>& pulls) {
    std::unique_lock lock(mutex);
    most[identifier] = std::max(most[identifier], ++now[identifier]);
    sizes.push_back(pulls.size());
    changed.notify_all();
    changed.wait(lock, [&] { return open; });
    --now[identifier];
  }
  void wait_for(std::size_t looks) {
    std::unique_lock lock(mutex);
    ASSERT_TRUE(changed.wait_for(lock, 20s, [&] { return sizes.size() >= looks; }));
  }
  void let_go() {
    std::lock_guard lock(mutex);
    open = true;
    changed.notify_all();
  }
};

TEST(PullBatches, TakeOneWorkerOfAnIdentifierAndLookTogether) {  // R1 R2
  Looks looks;
  std::atomic<unsigned> answered = 0;
  std::promise<void> all;
  PullBatches batches(
      4, [&](const auto& identifier, const auto& pulls) { looks.look(identifier, pulls); });
  constexpr unsigned kMany = 1'000;
  const auto done = [&] {
    if (++answered == kMany + 1) all.set_value();
  };
  batches.add({id(0), {name("crowd")}, done});
  looks.wait_for(1);
  for (unsigned i = 1; i < kMany; ++i) batches.add({id(i), {name("crowd")}, done});
  batches.add({id(kMany), {name("other")}, done});
  looks.wait_for(2);  // the other does not wait for the crowd
  looks.let_go();
  ASSERT_EQ(all.get_future().wait_for(20s), std::future_status::ready);
  batches.stop();
  EXPECT_EQ(looks.most.at(name("crowd")), 1U);
  EXPECT_EQ(looks.sizes.size(), 2 + (kMany - 1 + PullBatches::kAtOnce - 1) / PullBatches::kAtOnce);
  EXPECT_EQ(*std::ranges::max_element(looks.sizes), PullBatches::kAtOnce);
}

TEST(PullBatches, GoFromOneIdentifierToTheNext) {  // R4
  std::mutex mutex;
  std::vector<std::string> seen;
  std::promise<void> end;
  PullBatches batches(2, [&](const auto& identifier, const auto&) {
    std::lock_guard lock(mutex);
    seen.push_back(identifier.text());
  });
  batches.add({id(1), {name("a"), name("b")}, [&] { end.set_value(); }});
  ASSERT_EQ(end.get_future().wait_for(20s), std::future_status::ready);
  batches.stop();
  EXPECT_EQ(seen, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(batches.size(), 0U);
}

TEST(PullBatches, AboutNothingAreAnsweredAtOnce) {
  bool answered = false;
  PullBatches batches(1, [](const auto&, const auto&) { FAIL(); });
  batches.add({id(1), {}, [&] { answered = true; }});
  EXPECT_TRUE(answered);
}

}  // namespace
}  // namespace graspd::serve::pull_batches_test
