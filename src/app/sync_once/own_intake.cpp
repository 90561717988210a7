#include <condition_variable>
#include <fmt/format.h>
#include <mutex>

#include "app/server/wiring.h"
#include "app/sync_once/sync_intake.h"
#include "net/later.h"
#include "nostr/serialize.h"
#include "serve/runtime/workers.h"

namespace graspd::app {
namespace {

using core::Failure;
using core::Result;

// Events that go to the verifiers together.
constexpr std::size_t kTogether = 128;

// Judgements on their way from the writer's thread to ours.
class Mailbox {
 public:
  void put(Judgement judgement) {
    const std::lock_guard lock(mutex_);
    judgements_.push_back(std::move(judgement));
    came_.notify_one();
  }
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    came_.notify_one();
  }
  // Waits until there is something, or nothing will come any more.
  std::vector<Judgement> take() {
    std::unique_lock lock(mutex_);
    came_.wait(lock, [this] { return closed_ || !judgements_.empty(); });
    return std::exchange(judgements_, {});
  }

 private:
  std::mutex mutex_;  // guards the below
  std::condition_variable came_;
  std::vector<Judgement> judgements_;
  bool closed_ = false;
};

class Intake final : public OwnIntake {
 public:
  Intake(const Settings& settings, const nostr::RelayUrl& peer,
         std::unique_ptr<serve::GraspHost> host, store::EventStore& store)
      : peer_(std::make_shared<const nostr::RelayUrl>(peer)),
        host_(std::move(host)),
        ingest_(store, taking(), service_url(settings, settings.bind_port), meters_,
                {.verify_threads = verify_threads(settings),
                 .limits = settings.limits,
                 .disk = free_disk(settings)},
                [this](const serve::CommitReport& report) { committed(report); }) {
    if (host_) host_->open(ingest_);
  }
  ~Intake() override { shut(); }

  const relay::Acceptance& acceptance() const override {
    return host_ ? static_cast<const relay::Acceptance&>(*host_) : open_;
  }

  void submit(nostr::Event event) override {
    const std::size_t bytes = nostr::to_json(event).size();
    if (!ingest_.reserve(bytes))
      return mailbox_.put({event.id, nostr::Outcome::Failed, "error: too much at once"});
    outbox_.push_back({std::move(event), bytes, {relay::Source::Intake::Sync, {}, peer_}, {}});
    if (outbox_.size() >= kTogether) hand_over();
  }
  void hand_over() override {
    if (!outbox_.empty()) ingest_.submit(std::exchange(outbox_, {}));
  }

  net::Task<std::vector<Judgement>> judgements() override {
    net::PostFn post = [this](std::function<void()> work) { waiter_.post(std::move(work)); };
    std::function<std::vector<Judgement>()> wait = [this] { return mailbox_.take(); };
    std::vector<Judgement> some = co_await net::away(std::move(post), std::move(wait));
    co_return some;
  }

  void shut() override {
    if (std::exchange(shut_, true)) return;
    hand_over();
    ingest_.stop();
    if (host_) host_->close();
    mailbox_.close();
  }

 private:
  relay::Acceptance& taking() { return host_ ? static_cast<relay::Acceptance&>(*host_) : open_; }
  void committed(const serve::CommitReport& report) {
    for (const serve::Decision& decision : report.decisions)
      mailbox_.put({decision.id, decision.outcome, decision.text});
  }

  const std::shared_ptr<const nostr::RelayUrl> peer_;
  Mailbox mailbox_;
  serve::Meters meters_;
  relay::OpenAcceptance open_;
  std::unique_ptr<serve::GraspHost> host_;
  std::vector<serve::Submission> outbox_;
  bool shut_ = false;
  serve::Ingest ingest_;
  serve::Workers waiter_{1};
};

}  // namespace

Result<std::unique_ptr<OwnIntake>, std::string> OwnIntake::open(const Settings& settings,
                                                                const OwnerKey& owner,
                                                                const nostr::RelayUrl& peer,
                                                                store::EventStore& store) {
  std::unique_ptr<serve::GraspHost> host;
  if (settings.acceptance == Acceptance::Grasp) {
    auto options = host_options(settings, owner, settings.bind_port);
    if (!options) return Failure{options.error()};
    host = std::make_unique<serve::GraspHost>(*std::move(options), store);
    if (auto loaded = host->load(); !loaded) return Failure{loaded.error()};
  }
  return std::unique_ptr<OwnIntake>(
      std::make_unique<Intake>(settings, peer, std::move(host), store));
}

}  // namespace graspd::app
