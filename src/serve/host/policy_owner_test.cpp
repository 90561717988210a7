#include "serve/host/policy_owner.h"

#include <gtest/gtest.h>
#include <thread>

#include "serve/host/grasp_host_testing.h"

namespace graspd::serve {
namespace policy_owner_test {

using namespace host_testing;
using grasp::Policy;
using grasp::Transition;

// The owner between a store and a writer, without anything that hosts.
class OwnedPolicy : public ::testing::Test, private relay::Acceptance {
 protected:
  OwnedPolicy() {
    ingest.emplace(store, static_cast<relay::Acceptance&>(*this),
                   *nostr::RelayUrl::parse("wss://us.example"), meters, IngestOptions{},
                   [this](CommitReport report) { told(std::move(report)); });
    owner.perform_with([this](Transition changes) {
      std::lock_guard lock(mutex);
      notes_when_performed = store.notes("purgatory/").size();
      performed += changes.changes().size();
    });
    owner.open(*ingest);
  }
  ~OwnedPolicy() override { ingest->stop(); }

  static grasp::PolicyOptions options() {
    grasp::PolicyOptions options;
    options.service = *grasp::Service::parse("us.example");
    return options;
  }

  // A change whose effect and note are easily seen, and that something follows from.
  static PolicyOwner::Request put_upload(const std::string& token) {
    return [token](Policy& policy, core::UnixSeconds now, Transition& changes) {
      policy.purgatory().put_upload({.token = token,
                                     .repo = project_of(1),
                                     .event = {},
                                     .commit = *git::Oid::parse(std::string(40, 'a')),
                                     .expires = now + 1'000},
                                    changes);
      changes.add(grasp::AlignGroup{project_of(1).identifier});
    };
  }
  std::set<std::string> tokens() const { return owner.known()->purgatory().uploads().tokens(); }

  void submit(const nostr::Event& event) {
    CHECK(ingest->reserve(1'000));
    std::vector<Submission> one;
    one.push_back({event, 1'000, {}, {}});
    ingest->submit(std::move(one));
  }

  TestStore store;
  Meters meters;
  PolicyOwner owner{options(), store};
  std::optional<Ingest> ingest;
  std::mutex mutex;
  std::size_t performed = 0, notes_when_performed = 0;
  std::vector<bool> was_known;  // to readers, when the answer was given

 private:
  void told(const CommitReport& report) {
    std::lock_guard lock(mutex);
    for (const Decision& decision : report.decisions)
      was_known.push_back(owner.known()->knows(decision.id));
  }
  relay::Verdict decide(const nostr::WireEventPtr& event, const relay::Source&,
                        store::Changes& changes) override {
    const auto verdict = owner.decide(event, {}, changes);
    if (std::holds_alternative<grasp::Wait>(verdict)) return relay::Hold{"purgatory"};
    return relay::Reject{"blocked"};
  }
  void settled(std::span<const relay::Settled> events) override { owner.settled(events); }
  void committed() override { owner.committed(); }
  void failed() override { owner.failed(); }
};

TEST_F(OwnedPolicy, R1_ExecutesRequestsInOrderOnTheWritersThread) {
  std::vector<int> order, expected;
  std::set<std::thread::id> threads;
  for (int i = 0; i < 200; ++i) {
    expected.push_back(i);
    owner.change([&, i](Policy&, core::UnixSeconds, Transition&) {
      order.push_back(i);
      threads.insert(std::this_thread::get_id());
    });
  }
  ASSERT_TRUE(owner.change_and_wait([](Policy&, core::UnixSeconds, Transition&) {}));
  EXPECT_EQ(order, expected);
  EXPECT_EQ(threads.size(), 1U);
  EXPECT_FALSE(threads.contains(std::this_thread::get_id()));
}

TEST_F(OwnedPolicy, R2_PerformsWhatFollowsWhenTheChangeIsDurable) {
  ASSERT_TRUE(owner.change_and_wait(put_upload("token")));
  std::lock_guard lock(mutex);
  EXPECT_EQ(performed, 1U);
  EXPECT_EQ(notes_when_performed, 1U);
}

TEST_F(OwnedPolicy, R2_ChangesNothingWhenTheTransactionFails) {
  store.is_full = true;
  EXPECT_FALSE(owner.change_and_wait(put_upload("token")));
  EXPECT_TRUE(tokens().empty());
  EXPECT_TRUE(store.notes("purgatory/").empty());
  EXPECT_EQ(performed, 0U);
  store.is_full = false;
  EXPECT_TRUE(owner.change_and_wait(put_upload("later")));
  EXPECT_EQ(tokens(), std::set<std::string>{"later"});
}

TEST_F(OwnedPolicy, R2_TellsEverybodyWhoseChangesFailedTogether) {
  store.is_full = true;
  std::atomic<int> failures = 0;
  std::vector<std::thread> all;
  for (int i = 0; i < 8; ++i)
    all.emplace_back([&, i] {
      if (!owner.change_and_wait(put_upload("token" + std::to_string(i)))) ++failures;
    });
  for (std::thread& thread : all) thread.join();
  EXPECT_EQ(failures, 8);
  EXPECT_TRUE(tokens().empty());
}

TEST_F(OwnedPolicy, R3_ShowsAChangeToWhoeverWaitedForIt) {
  for (int i = 0; i < 50; ++i) {
    const std::string token = "token" + std::to_string(i);
    ASSERT_TRUE(owner.change_and_wait(put_upload(token)));
    EXPECT_TRUE(tokens().contains(token));
  }
}

TEST_F(OwnedPolicy, R3_ShowsAnEventToWhoeverHasTheAnswer) {
  submit(announcement(1, "us.example"));
  submit(announcement(2, "us.example"));
  ingest->stop();
  std::lock_guard lock(mutex);
  EXPECT_EQ(was_known, (std::vector<bool>{true, true}));
}

TEST_F(OwnedPolicy, StoresWhatIsReleasedAndServesIt) {
  const auto event = wired(announcement(1, "us.example"));
  ASSERT_TRUE(owner.change_and_wait([&](Policy& policy, core::UnixSeconds now, Transition& to) {
    policy.decide(event, {}, now, to);
  }));
  EXPECT_EQ(owner.known()->catalog().served_repos(), 0U);
  const auto nothing_else = [](Policy&, core::UnixSeconds, Transition&) {};
  store.is_full = true;
  EXPECT_FALSE(owner.release({event}, nothing_else));
  EXPECT_NE(owner.known()->purgatory().announcement(project_of(1)), nullptr);
  store.is_full = false;
  EXPECT_TRUE(owner.release({event}, nothing_else));
  EXPECT_EQ(owner.known()->purgatory().announcement(project_of(1)), nullptr);
  EXPECT_EQ(owner.known()->catalog().served_repos(), 1U);
  EXPECT_TRUE(store.contains(event->event.id));
  EXPECT_TRUE(store.notes("purgatory/").empty());
}

TEST_F(OwnedPolicy, TellsWhoseListingsChangedOnce) {
  ASSERT_TRUE(owner.change_and_wait([&](Policy& policy, core::UnixSeconds now, Transition& to) {
    policy.decide(wired(announcement(1, "us.example")), {}, now, to);
  }));
  EXPECT_EQ(owner.take_changed_listings(), std::set{project_of(1)});
  EXPECT_TRUE(owner.take_changed_listings().empty());
}

TEST_F(OwnedPolicy, RefusesChangesWhenTheWriterHasEnded) {
  ingest->stop();
  EXPECT_FALSE(owner.change_and_wait(put_upload("token")));
  EXPECT_TRUE(tokens().empty());
}

}  // namespace policy_owner_test
}  // namespace graspd::serve
