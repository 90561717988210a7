#include "serve/grasp_host.h"

#include <condition_variable>
#include <gtest/gtest.h>

#include "gitio/test_repositories.h"
#include "net/clock.h"
#include "nostr/nip19.h"
#include "nostr/signature.h"
#include "store/memory_store.h"

namespace graspd::serve {
namespace grasp_host_test {

using Ids = std::vector<nostr::EventId>;

nostr::Keypair keypair(std::uint8_t number) {
  nostr::SecretKey::Bytes secret{};
  secret[31] = number;
  return *nostr::Keypair::from(nostr::SecretKey(secret));
}

nostr::Event signed_event(std::uint8_t by, std::uint16_t kind, nostr::Tags tags,
                          std::string content = {}) {
  nostr::Event event{.created_at = net::now().unix_seconds,
                     .kind = {kind},
                     .tags = std::move(tags),
                     .content = std::move(content)};
  keypair(by).sign(event, {});
  return event;
}

// A host with everything but sockets. Events come from a peer.
class Host {
 public:
  Host() {
    GraspHostOptions options;
    options.hosting.root = folder_.path();
    options.policy.service = *grasp::Service::parse("us.example");
    options.policy.operator_key = keypair(99).public_key();
    host.emplace(std::move(options), store_);
    CHECK(host->load());
    ingest_.emplace(store_, *host, *nostr::RelayUrl::parse("wss://us.example"), meters_,
                    IngestOptions{}, [this](Announcement announcement) {
                      std::lock_guard lock(mutex_);
                      for (const Decision& decision : announcement.decisions)
                        fates_.emplace_back(decision.id, decision.fate);
                      changed_.notify_all();
                    });
    host->open(*ingest_);
  }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;
  ~Host() {
    ingest_->stop();
    host->close();
  }

  void send(const nostr::Event& event) {
    constexpr std::size_t kBytes = 1'000;
    CHECK(ingest_->reserve(kBytes));
    std::vector<Submission> one;
    one.push_back({event, kBytes, {relay::Source::Door::Sync, {}, peer}, {}});
    ingest_->submit(std::move(one));
  }
  // What became of it, the first time or the next.
  Fate fate(const nostr::Event& event, std::size_t time = 0) {
    std::unique_lock lock(mutex_);
    std::optional<Fate> found;
    const auto is_there = [&] {
      std::size_t seen = 0;
      for (const auto& [id, fate] : fates_)
        if (id == event.id && seen++ == time) found = fate;
      return found.has_value();
    };
    CHECK(changed_.wait_for(lock, std::chrono::seconds(20), is_there));
    return *found;
  }
  Fate ask(const nostr::Event& event) {
    send(event);
    return fate(event);
  }

  const std::shared_ptr<const nostr::RelayUrl> peer =
      std::make_shared<const nostr::RelayUrl>(*nostr::RelayUrl::parse("wss://peer.example"));
  std::optional<GraspHost> host;

 private:
  gitio::testing::TemporaryFolder folder_;
  store::MemoryStore store_;
  Meters meters_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::pair<nostr::EventId, Fate>> fates_;
  std::optional<Ingest> ingest_;
};

nostr::Event announcement(std::uint8_t by, const std::string& host, std::string content = {}) {
  const std::string path = "/" + nostr::nip19::npub(keypair(by).public_key()) + "/project.git";
  return signed_event(
      by, 30617,
      {{"d", "project"}, {"clone", "https://" + host + path}, {"relays", "wss://" + host}},
      std::move(content));
}

TEST(GraspHost, KnowsWhatNeedNotComeAgain) {
  Host world;
  const auto held = announcement(1, "us.example");
  const auto refused = announcement(2, "them.example");
  const auto lonely = signed_event(3, 1621, {{"a", "30617:" + std::string(64, 'a') + ":x"}});
  EXPECT_EQ(world.ask(held), Fate::Held);
  EXPECT_EQ(world.ask(refused), Fate::Refused);
  EXPECT_EQ(world.ask(lonely), Fate::Refused);
  for (const auto& event : {held, refused, lonely}) EXPECT_TRUE(world.host->knows(event.id));
  EXPECT_FALSE(world.host->knows(nostr::EventId()));

  nostr::Filter announcements;
  announcements.kinds = {{{30617}}};
  std::set<nostr::EventId> found;
  const auto known = world.host->known(announcements);
  for (const store::Position& position : known) found.insert(position.id);
  EXPECT_EQ(found, (std::set<nostr::EventId>{held.id, refused.id}));
  EXPECT_EQ(known.size(), 2U);  // each once, though it is kept twice
  announcements.tags = {{'d', {"other"}}};
  EXPECT_TRUE(world.host->known(announcements).empty());
}

TEST(GraspHost, TriesAgainWhatLackedWhatCameAndTellsWhatItDidNotKeep) {
  Host world;
  std::mutex mutex;
  std::vector<std::pair<nostr::RelayUrl, Ids>> wanted;
  world.host->on_wanted_again([&](const nostr::RelayUrl& relay, const Ids& ids) {
    std::lock_guard lock(mutex);
    wanted.emplace_back(relay, ids);
  });
  const auto guest = announcement(2, "them.example");
  const auto big = announcement(2, "them.example", std::string(150'000, 'x'));
  EXPECT_EQ(world.ask(guest), Fate::Refused);
  EXPECT_EQ(world.ask(big), Fate::Refused);
  const auto key = keypair(2).public_key().hex();
  auto owner = announcement(1, "us.example");
  owner.tags.begin_row();
  owner.tags.append("maintainers");
  owner.tags.append(key);
  keypair(1).sign(owner, {});
  EXPECT_EQ(world.ask(owner), Fate::Held);
  EXPECT_EQ(world.fate(guest, 1), Fate::Held);
  EXPECT_TRUE(world.host->knows(guest.id));
  world.host->on_wanted_again({});
  ASSERT_EQ(wanted.size(), 1U);
  EXPECT_EQ(wanted[0].first, *world.peer);
  EXPECT_EQ(wanted[0].second, Ids{big.id});
  EXPECT_FALSE(world.host->knows(big.id));
}

}  // namespace grasp_host_test
}  // namespace graspd::serve
