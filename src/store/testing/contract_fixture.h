// A backend under test, and what the tests of the contract do with it.
#pragma once
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "store/testing/contract_random.h"
#include "store/testing/events.h"

namespace graspd::store::testing {

struct Backend {
  std::string name;
  std::function<std::unique_ptr<EventStore>()> make;
  std::uint64_t seeds = 8;  // of random comparisons with the naive twin
};
inline void PrintTo(const Backend& backend, std::ostream* out) { *out << backend.name; }
inline std::string name_of(const ::testing::TestParamInfo<Backend>& info) {
  return info.param.name;
}

class StoreContract : public ::testing::TestWithParam<Backend> {
 protected:
  static constexpr core::UnixSeconds kNow = 1'000;
  using Ids = std::vector<nostr::EventId>;

  Outcome write(const nostr::WireEventPtr& event, bool vanish = false) {
    const Write one{event, vanish};
    const auto written = store_->write({&one, 1}, kNow);
    EXPECT_TRUE(written);
    return (*written)[0].outcome;
  }
  bool has(const nostr::WireEventPtr& event) const {
    return (*store_->snapshot())->contains(event->event.id);
  }
  Cursor cursor(std::vector<nostr::Filter> filters) const {
    return Cursor(std::move(filters), store_->newest());
  }
  Ids read(Cursor& cursor, const Budget& budget = {}, core::UnixSeconds now = kNow) const {
    return read_all(*store_, cursor, budget, now);
  }
  Ids read(const nostr::Filter& filter, core::UnixSeconds now = kNow) const {
    Cursor one = cursor({filter});
    return read(one, {}, now);
  }
  static Ids ids(const std::vector<nostr::WireEventPtr>& events) {
    Ids ids;
    for (const auto& event : events) ids.push_back(event->event.id);
    return ids;
  }
  static nostr::Filter of_kind(std::uint16_t kind, std::optional<std::uint64_t> limit = {}) {
    nostr::Filter filter;
    filter.kinds = {{{kind}}};
    filter.limit = limit;
    return filter;
  }
  static nostr::Filter by(std::uint32_t number) {
    nostr::Filter filter;
    filter.authors = {{author(number)}};
    return filter;
  }
  // Kind 1, of these seconds, written in the order given.
  std::vector<nostr::WireEventPtr> write_notes(std::vector<core::UnixSeconds> times) {
    std::vector<nostr::WireEventPtr> notes;
    for (const auto time : times) {
      notes.push_back(event(1, 1, time, {}, std::to_string(notes.size())));
      EXPECT_EQ(write(notes.back()), Outcome::Stored);
    }
    return notes;
  }

  std::unique_ptr<EventStore> store_ = GetParam().make();
};

}  // namespace graspd::store::testing
