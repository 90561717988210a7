#include "app/sync_once/history_dialogue.h"

#include <gtest/gtest.h>

#include "store/testing/events.h"
#include "store/testing/memory_store.h"

namespace graspd::app {
namespace history_dialogue_test {

using namespace std::chrono_literals;
namespace said = nostr::relay_said;
using store::testing::event;

constexpr core::UnixSeconds kToday = 1'700'000'000;

struct Owner : HistoryOwner {
  std::vector<nostr::EventId> got;
  std::uint64_t strays = 0, both = 0;
  std::string why;
  std::optional<nostr::Outcome> arrived(sync::Sub, nostr::Event event, bool) override {
    got.push_back(event.id);
    return nostr::Outcome::Known;
  }
  void unasked() override { ++strays; }
  bool missing(const nostr::EventId&) override { return true; }
  void lacking(const nostr::EventId&) override {}
  void in_both(std::uint64_t count) override { both += count; }
  void progressed(core::Now) override {}
  void give_up(core::Now, std::string_view text) override { why = text; }
};

class Reading : public ::testing::Test {
 protected:
  HistoryDialogue& start(std::size_t filters = 1) {
    HistoryDialogue::Terms terms{.peer = *nostr::RelayUrl::parse("wss://relay.example")};
    for (std::size_t i = 0; i < filters; ++i) {
      terms.filters.emplace_back();
      terms.filters.back().kinds = {{{static_cast<std::uint16_t>(i + 1)}}};
    }
    terms.negentropy = negentropy;
    terms.items_max = 1000;
    terms.answer = [](const std::string&) { return event(7, 22242, kToday)->event; };
    terms.notice = [](const std::string&) {};
    dialogue.emplace(std::move(terms), inventory, owner);
    dialogue->connected(now);
    return *dialogue;
  }
  void hear(nostr::RelayMessage message) { dialogue->hear(now, message); }
  // The words of the newest frame, and its subscription.
  std::string frame() {
    const Frames frames = dialogue->take_frames();
    return frames.empty() ? "" : frames.back();
  }
  void pass(core::Duration span) {
    now.instant += span;
    now.unix_seconds += span / 1s;
    dialogue->tick(now, true);
  }

  bool negentropy = false;
  core::Now now{core::Instant(1h), kToday};
  store::MemoryStore store;
  Inventory inventory{store};
  Owner owner;
  std::optional<HistoryDialogue> dialogue;
};

TEST_F(Reading, AsksTheFiltersOfTheOperatorAndNothingElse) {  // R1
  start();
  const Frames frames = dialogue->take_frames();
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_TRUE(frames[0].starts_with(R"(["REQ","g1",{"kinds":[1])")) << frames[0];
  hear(said::Matching{"g1", event(1, 1, kToday)->event});
  hear(said::Matching{"g1", event(1, 2, kToday)->event});
  EXPECT_EQ(owner.got.size(), 1U);
  EXPECT_EQ(owner.strays, 1U);
  hear(said::EndOfStored{"g1", nostr::Completeness::Finished});
  EXPECT_TRUE(dialogue->is_over());
  EXPECT_TRUE(dialogue->troubles().empty());
}

TEST_F(Reading, GoesOnWithTheNextConnection) {  // R2
  start(2);
  hear(said::EndOfStored{"g1", nostr::Completeness::Finished});
  dialogue->disconnected(now);
  EXPECT_FALSE(dialogue->is_over());
  EXPECT_TRUE(dialogue->awaits());
  (void)dialogue->take_frames();
  dialogue->connected(now);
  const std::string again = frame();
  EXPECT_NE(again.find(R"("kinds":[2])"), std::string::npos) << again;
  hear(said::EndOfStored{"g3", nostr::Completeness::Finished});
  EXPECT_TRUE(dialogue->is_over());
}

TEST_F(Reading, TriesWhatMayPassAgainAndGivesUpThen) {  // R3
  start();
  for (int i = 1; i <= 3; ++i) {
    EXPECT_FALSE(dialogue->is_over());
    hear(said::Closed{"g" + std::to_string(i), "error: out of order"});
    if (i < 3) pass(20s);
  }
  EXPECT_TRUE(dialogue->is_over());
  ASSERT_EQ(dialogue->troubles().size(), 1U);
  EXPECT_NE(dialogue->troubles()[0].find("out of order"), std::string::npos);
}

TEST_F(Reading, DoesNotTryAgainWhatIsRefusedForGood) {  // R3
  start(2);
  hear(said::Closed{"g1", "blocked: not for you"});
  EXPECT_FALSE(dialogue->is_over());  // the other filter may be welcome
  hear(said::EndOfStored{"g2", nostr::Completeness::Finished});
  EXPECT_TRUE(dialogue->is_over());
  EXPECT_EQ(dialogue->troubles().size(), 1U);
  EXPECT_FALSE(dialogue->is_paged(0, kToday));
  EXPECT_TRUE(dialogue->is_paged(1, kToday));
}

TEST_F(Reading, SaysWhoItIsOnlyWhenAsked) {  // R4
  start();
  hear(said::Challenge{"c"});
  EXPECT_EQ(frame().find("AUTH"), std::string::npos);
  hear(said::Closed{"g1", "auth-required: who are you?"});
  EXPECT_NE(frame().find("AUTH"), std::string::npos);
  EXPECT_TRUE(dialogue->is_identifying());
  pass(1s);
  EXPECT_EQ(frame(), "");
  hear(said::Ok{event(7, 22242, kToday)->event.id, true, ""});
  pass(1s);
  EXPECT_NE(frame().find("REQ"), std::string::npos);
  EXPECT_FALSE(dialogue->may_identify());
}

TEST_F(Reading, SplitsItsOwnSetThatIsTooLarge) {  // R1
  negentropy = true;
  std::vector<store::Write> writes;
  for (std::uint32_t i = 0; i < 1500; ++i)
    writes.push_back({event(1, 1, kToday - 5000 + i, {}, std::to_string(i))});
  ASSERT_TRUE(store.write(writes, kToday));
  start();
  pass(1s);
  const Frames frames = dialogue->take_frames();
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_TRUE(frames[0].starts_with(R"(["NEG-OPEN")")) << frames[0];
  EXPECT_NE(frames[0].find("since"), std::string::npos);
}

}  // namespace history_dialogue_test
}  // namespace graspd::app
