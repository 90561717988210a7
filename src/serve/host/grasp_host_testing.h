// A host without sockets, for tests of what it does and of those who watch it.
#pragma once
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/check.h"
#include "gitio/repositories_testing.h"
#include "net/clock.h"
#include "nostr/nip19.h"
#include "nostr/serialize.h"
#include "nostr/signature.h"
#include "serve/host/grasp_host.h"
#include "store/testing/memory_store.h"

namespace graspd::serve::host_testing {

inline nostr::Keypair keypair(std::uint8_t number) {
  nostr::SecretKey::Bytes secret{};
  secret[31] = number;
  return *nostr::Keypair::from(nostr::SecretKey(secret));
}

inline nostr::Event signed_event(std::uint8_t by, std::uint16_t kind, nostr::Tags tags,
                                 std::string content = {}) {
  nostr::Event event{.created_at = net::now().unix_seconds,
                     .kind = {kind},
                     .tags = std::move(tags),
                     .content = std::move(content)};
  keypair(by).sign(event, {});
  return event;
}

// A store that can be full: then it takes nothing.
class TestStore : public store::EventStore {
 public:
  using store::EventStore::write;
  core::Result<std::vector<store::Written>, store::StoreError> write(
      const store::Batch& batch, core::UnixSeconds now) override {
    if (is_full) return core::Failure{store::StoreError::DiskFull};
    return memory_.write(batch, now);
  }
  core::Result<std::size_t, store::StoreError> remove_expired(core::UnixSeconds now,
                                                              std::size_t max) override {
    return memory_.remove_expired(now, max);
  }
  core::Result<std::unique_ptr<store::Snapshot>, store::StoreError> snapshot() const override {
    return memory_.snapshot();
  }
  store::Serial newest() const override { return memory_.newest(); }
  bool contains(const nostr::EventId& id) const { return (*snapshot())->contains(id); }
  std::set<std::string> notes(std::string_view prefix) const {
    std::set<std::string> keys;
    CHECK((*snapshot())->notes(prefix, [&](auto key, auto) { keys.emplace(key); }));
    return keys;
  }

  std::atomic<bool> is_full = false;

 private:
  store::MemoryStore memory_;
};

using nostr::Outcome;

// A host with everything but sockets. Events come from a peer.
class Host {
 public:
  explicit Host(GraspHostOptions options = {}) {
    options.hosting.root = folder_.path();
    options.policy.service = *grasp::Service::parse("us.example");
    options.policy.operator_key = keypair(99).public_key();
    host.emplace(std::move(options), store);
    CHECK(host->load());
    ingest_.emplace(store, *host, *nostr::RelayUrl::parse("wss://us.example"), meters_,
                    IngestOptions{}, [this](CommitReport announcement) {
                      std::lock_guard lock(mutex_);
                      for (const Decision& decision : announcement.decisions)
                        fates_.emplace_back(decision.id, decision.outcome);
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
    one.push_back({event, kBytes, {relay::Source::Intake::Sync, {}, peer}, {}});
    ingest_->submit(std::move(one));
  }
  // What became of it, the first time or the next.
  Outcome fate(const nostr::Event& event, std::size_t time = 0) {
    std::unique_lock lock(mutex_);
    std::optional<Outcome> found;
    const auto is_there = [&] {
      std::size_t seen = 0;
      for (const auto& [id, fate] : fates_)
        if (id == event.id && seen++ == time) found = fate;
      return found.has_value();
    };
    CHECK(changed_.wait_for(lock, std::chrono::seconds(20), is_there));
    return *found;
  }
  Outcome ask(const nostr::Event& event) {
    send(event);
    return fate(event);
  }

  const std::shared_ptr<const nostr::RelayUrl> peer =
      std::make_shared<const nostr::RelayUrl>(*nostr::RelayUrl::parse("wss://peer.example"));
  TestStore store;

 private:
  gitio::testing::TemporaryFolder folder_;

 public:
  std::optional<GraspHost> host;

 private:
  Meters meters_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::pair<nostr::EventId, Outcome>> fates_;
  std::optional<Ingest> ingest_;
};

inline nostr::WireEventPtr wired(nostr::Event event) {
  auto wire = std::make_shared<nostr::WireEvent>();
  wire->json = nostr::to_json(event);
  wire->event = std::move(event);
  return wire;
}

inline grasp::Coordinate project_of(std::uint8_t owner) {
  return {keypair(owner).public_key(), *grasp::Identifier::parse("project")};
}
inline std::string address_of(std::uint8_t owner) {
  return project_of(owner).announcement_address().text();
}

inline nostr::Event announcement(std::uint8_t by, const std::string& host,
                                 std::string content = {}) {
  const std::string path = "/" + nostr::nip19::npub(keypair(by).public_key()) + "/project.git";
  return signed_event(
      by, 30617,
      {{"d", "project"}, {"clone", "https://" + host + path}, {"relays", "wss://" + host}},
      std::move(content));
}

// With the lock that keeps maintenance away: at a start it removes repositories without data.
inline git::Oid commit_into(Hosting& hosting, const grasp::Coordinate& repository,
                            const std::string& text) {
  const auto guard = hosting.repos.lock(hosting.key(repository));
  const auto folder = hosting.path(repository);
  if (!hosting.has_repository(repository)) gitio::testing::make_repository(folder);
  return gitio::testing::commit(folder, text);
}

// A repository that is announced, has data and is served. The commit of its only branch.
inline git::Oid serve_project(Host& world, std::uint8_t owner) {
  CHECK(world.ask(announcement(owner, "us.example")) == Outcome::Held);
  const git::Oid tip = commit_into(world.host->hosting(), project_of(owner), "begin");
  CHECK(world.ask(signed_event(owner, 30618, {{"d", "project"}, {"refs/heads/main", tip.hex()}})) ==
        Outcome::Stored);
  return tip;
}

}  // namespace graspd::serve::host_testing
