#include "serve/sync/peer_link.h"

#include <future>
#include <gtest/gtest.h>

#include "net/dialer_testing.h"
#include "serve/relay/relay_server_testing.h"

namespace graspd::serve {
namespace peer_link_test {

using relay_testing::GatedAcceptance;
using relay_testing::kPatience;
using relay_testing::note;
using relay_testing::TestRelay;

constexpr sync::RelayId kRelay{1};
constexpr sync::Session kSession{2};
constexpr sync::Sub kSub{3};

sync::Filters everything() {
  return std::make_shared<const std::vector<nostr::Filter>>(std::vector{nostr::Filter{}});
}

// Our side: an event loop, an ingest, and what the link tells the engine.
class Side {
 public:
  explicit Side(std::size_t held_max = 0)
      : server_(*net::listen({"127.0.0.1", 0, std::nullopt}, {})),
        ingest_(store, acceptance, *nostr::RelayUrl::parse("wss://us.example"), meters_, {},
                [this](const CommitReport& report) { committed(report); }),
        intake_({ingest_, store, acceptance,
                 [this](std::function<void()> work) { server_->post(0, std::move(work)); },
                 [this](const Ticket& ticket, nostr::Outcome) { link->judged(ticket.bytes); }}),
        inventory_(store, acceptance),
        identity_(*nostr::Keypair::from(nostr::SecretKey(nostr::SecretKey::Bytes{1}))),
        held(held_max),
        dialer_(net::make_dialer({})) {}
  Side(const Side&) = delete;
  Side& operator=(const Side&) = delete;
  ~Side() {
    acceptance.set_open(true);
    if (link) on_loop([this] { link->leave("the test is over"); });
    ingest_.stop();
    workers_.stop();
    server_->stop(kPatience);
    link.reset();  // its socket must not outlive the event loop
  }

  void dial(std::uint16_t port, const sync::IntakeLimits& limits = {}) {
    const auto url = *nostr::RelayUrl::parse("ws://127.0.0.1:" + std::to_string(port));
    link =
        std::make_shared<PeerLink>(context_, kRelay, kSession, url,
                                   std::make_shared<sync::IntakeRate>(limits, net::now().instant));
    on_loop([this] {
      server_->spawn(0, "link", PeerLink::run(link, dialer_.get(), net::private_allowed()));
    });
  }
  // Everything about the link happens on its thread (R1).
  void on_loop(const std::function<void()>& work) {
    std::promise<void> done;
    server_->post(0, [&] {
      work();
      done.set_value();
    });
    done.get_future().wait();
  }
  void subscribe() {
    on_loop([this] { link->subscribe({kRelay, kSession, kSub, {}, everything()}); });
  }

  // The next input of this kind; what comes before it is skipped.
  template <class Kind>
  Kind told() {
    std::unique_lock lock(mutex_);
    while (true) {
      CHECK(changed_.wait_for(lock, kPatience, [this] { return !inputs_.empty(); }));
      const sync::Input input = std::move(inputs_.front());
      inputs_.pop_front();
      if (const auto* found = std::get_if<Kind>(&input)) return *found;
    }
  }

 private:
  void tell(sync::Input input) {
    const std::lock_guard lock(mutex_);
    inputs_.push_back(std::move(input));
    changed_.notify_all();
  }
  void committed(const CommitReport& report) {
    server_->post(0, [this, decisions = report.decisions] {
      for (const Decision& decision : decisions) intake_.decided(decision);
    });
  }

 public:
  store::MemoryStore store;
  GatedAcceptance acceptance;
  std::shared_ptr<PeerLink> link;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<sync::Input> inputs_;
  Meters meters_;
  Workers workers_{1};
  std::unique_ptr<net::Server> server_;
  Ingest ingest_;
  SyncIntake intake_;
  SyncInventory inventory_;
  const nostr::Keypair identity_;
  nostr::JsonReader reader_;

 public:
  PeerBytes held;

 private:
  std::unique_ptr<net::Dialer> dialer_;
  SyncContext context_{*server_,
                       0,
                       workers_,
                       intake_,
                       inventory_,
                       identity_,
                       reader_,
                       [this](sync::Input input) { tell(std::move(input)); },
                       held,
                       [this] {
                         if (held.to_drop()) link->drop("holds too much");
                       }};
};

// A peer whose every word is written by hand.
class HandPeer {
 public:
  std::uint16_t port() const { return listener_.port(); }
  // Takes the call, and does not answer the handshake.
  std::string take_call() {
    socket_ = listener_.accept();
    return net::RawListener::read_until(socket_.get(), "\r\n\r\n");
  }
  void accept() {
    const auto request = take_call();
    net::RawListener::send(socket_.get(), net::switching_protocols(request));
  }
  void say(std::string text) const {
    net::RawListener::send(
        socket_.get(),
        net::wire({.opcode = net::kText, .payload = std::move(text), .masked = false}));
  }
  // One short frame of a client, which is masked (RFC 6455 §5.2).
  std::string hear() const {
    const std::string head = read(2);
    std::size_t size = head[1] & 0x7F;
    if (size == 126) {
      const std::string length = read(2);
      size = static_cast<unsigned char>(length[0]) << 8 | static_cast<unsigned char>(length[1]);
    }
    const std::string mask = read(4);
    std::string text = read(size);
    for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(text[i] ^ mask[i % 4]);
    return text;
  }
  void hang_up() { socket_ = core::FileDescriptor(); }

 private:
  std::string read(std::size_t size) const {
    std::string bytes(size, '\0');
    for (char& byte : bytes) {
      net::RawListener::wait(socket_.get());
      CHECK(::recv(socket_.get(), &byte, 1, 0) == 1);
    }
    return bytes;
  }

  net::RawListener listener_;
  core::FileDescriptor socket_;
};

TEST(PeerLink, BringsWhatAPeerHasAndThenWhatIsNew) {
  TestRelay peer;
  relay_testing::TestClient writer(peer);
  const auto stored = note("stored"), live = note("live");
  writer.publish(stored);
  writer.hear<nostr::relay_said::Ok>();
  Side us;
  us.dial(peer.port());
  us.told<sync::Connected>();
  us.subscribe();
  EXPECT_EQ(us.told<sync::EventArrived>().id, stored.id);
  EXPECT_EQ(us.told<sync::EndOfStored>().sub, kSub);
  writer.publish(live);
  EXPECT_EQ(us.told<sync::EventArrived>().id, live.id);
  EXPECT_TRUE(waiting::comes_true([&] { return (*us.store.snapshot())->size() == 2; }));
}

TEST(PeerLink, ReconcilesOnAWorkerAndNamesWhatIsMissingHere) {  // R1
  TestRelay peer;
  peer.fill(100, 1);
  Side us;
  us.dial(peer.port());
  us.told<sync::Connected>();
  us.on_loop([&] { us.link->open_reconciliation({kRelay, kSession, kSub, {}, 4'096, {}}); });
  us.told<sync::NegOpened>();
  std::set<nostr::EventId> missing;
  while (true) {
    const auto step = us.told<sync::NegStepped>();
    missing.insert(step.need.begin(), step.need.end());
    if (step.finished) break;
    us.on_loop([&] { us.link->continue_reconciliation(kSub); });
  }
  EXPECT_EQ(missing.size(), 100U);
}

TEST(PeerLink, IsNotReadFromWhileTooMuchIsUndecided) {  // R2
  TestRelay peer;
  Side us;
  us.acceptance.set_open(false);
  constexpr std::size_t kEvents = 100;  // of 100 kB: 8 MiB may be undecided
  std::vector<store::Write> writes;
  for (std::size_t i = 0; i < kEvents; ++i) {
    const auto event = note(std::to_string(i) + std::string(100'000, 'x'));
    writes.push_back(
        {std::make_shared<const nostr::WireEvent>(nostr::WireEvent{event, nostr::to_json(event)})});
  }
  ASSERT_TRUE(peer.store.write({.events = writes}, net::now().unix_seconds));
  us.dial(peer.port());
  us.told<sync::Connected>();
  us.subscribe();
  EXPECT_FALSE(us.told<sync::ReadingPaused>().over_budget);
  us.acceptance.set_open(true);
  us.told<sync::ReadingResumed>();
  us.told<sync::EndOfStored>();
  EXPECT_TRUE(waiting::comes_true([&] { return (*us.store.snapshot())->size() == kEvents; }));
}

TEST(PeerLink, DropsAPeerThatSendsTooMuchNonsense) {  // R4
  Side us;
  HandPeer peer;
  us.dial(peer.port());
  peer.accept();
  us.told<sync::Connected>();
  for (int i = 0; i < 100; ++i) peer.say("nonsense");
  const auto end = us.told<sync::Disconnected>();
  EXPECT_TRUE(end.at_fault);
  EXPECT_EQ(end.text, "the peer sends what cannot be read");
}

TEST(PeerLink, CountsTowardTheLimitOfAllPeersUntilItIsDropped) {  // R5
  TestRelay peer;
  Side us(50'000);
  us.acceptance.set_open(false);
  relay_testing::TestClient writer(peer);
  writer.publish(note(std::string(100'000, 'x')));
  writer.hear<nostr::relay_said::Ok>();
  us.dial(peer.port());
  us.told<sync::Connected>();
  us.subscribe();
  const auto end = us.told<sync::Disconnected>();
  EXPECT_TRUE(end.at_fault);
  EXPECT_EQ(end.text, "holds too much");
  us.on_loop([&] { EXPECT_EQ(us.held.total(), 0U); });
}

TEST(PeerLink, PausesReadingAPeerThatExceedsItsRate) {  // R6
  Side us;
  HandPeer peer;
  us.dial(peer.port(), {.events_per_minute = 0, .bytes_per_minute = 1'000});
  peer.accept();
  us.told<sync::Connected>();
  peer.say(R"(["NOTICE",")" + std::string(20'000, 'x') + R"("])");
  us.told<sync::Notice>();
  EXPECT_TRUE(us.told<sync::ReadingPaused>().over_budget);
  // It can be left at once, however long the pause.
  us.on_loop([&] { us.link->leave("enough"); });
  EXPECT_EQ(us.told<sync::Disconnected>().text, "enough");
}

TEST(PeerLink, TellsOnceThatTheConnectionEnded) {
  Side us;
  HandPeer peer;
  us.dial(peer.port());
  peer.accept();
  us.told<sync::Connected>();
  peer.hang_up();
  const auto end = us.told<sync::Disconnected>();
  EXPECT_FALSE(end.at_fault);
  EXPECT_FALSE(end.text.empty());
}

TEST(PeerLink, TellsWhyAPeerCannotBeReached) {
  std::uint16_t port = 0;
  {
    const net::RawListener gone;
    port = gone.port();
  }
  Side us;
  us.dial(port);
  EXPECT_EQ(us.told<sync::DialFailed>().problem, sync::DialProblem::Network);
}

TEST(PeerLink, CanBeLeftWhileItIsDialled) {  // R7 of net/dialer.h
  Side us;
  HandPeer peer;
  us.dial(peer.port());
  peer.take_call();
  us.on_loop([&] { us.link->leave("no longer wanted"); });
  // Only the test still knows of it.
  EXPECT_TRUE(waiting::comes_true([&] { return us.link.use_count() == 1; }));
}

TEST(PeerLink, AnswersAChallengeWhenItIsTold) {
  Side us;
  HandPeer peer;
  us.dial(peer.port());
  peer.accept();
  us.told<sync::Connected>();
  // Asked first, challenged then.
  us.on_loop([&] { us.link->authenticate(); });
  peer.say(R"(["AUTH","who are you"])");
  const std::string answer = peer.hear();
  EXPECT_TRUE(answer.starts_with(R"(["AUTH",{)")) << answer;
  EXPECT_NE(answer.find(R"(["challenge","who are you"])"), std::string::npos) << answer;
  const std::string id = answer.substr(answer.find(R"("id":")") + 6, 64);
  peer.say(R"(["OK",")" + id + R"(",true,"welcome"])");
  const auto outcome = us.told<sync::Authenticated>();
  EXPECT_TRUE(outcome.accepted);
  EXPECT_EQ(outcome.text, "welcome");
}

}  // namespace peer_link_test
}  // namespace graspd::serve
