// Where sync runs: the engine on its network thread, with the hands that do what it asks for.
//
// Lives on that thread, but for what says otherwise.
#pragma once
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "net/alarm.h"
#include "serve/sync/peer_link.h"
#include "serve/sync/sync_feed.h"
#include "serve/sync/sync_intake.h"
#include "serve/sync/sync_service.h"
#include "sync/engine.h"

namespace graspd::serve {

class SyncLoop : public std::enable_shared_from_this<SyncLoop> {
 public:
  static constexpr std::string_view kNotePrefix = "sync/relay/";

  SyncLoop(SyncServiceOptions options, const nostr::Keypair& identity, store::EventStore& store,
           SyncSources sources, RelayServer& relay, net::Server& server);

  void open();   // from outside
  void close();  // from outside; returns when every connection has ended

  std::shared_ptr<const SyncReport> report() const {  // from anywhere
    std::lock_guard lock(mutex_);
    return view_;
  }
  void post(std::function<void(SyncLoop&)> work);  // from anywhere

  void tell(sync::Input input);

 private:
  class Attendance;

  void begin();
  void restore();
  void read_history();
  void committed(const CommitReport& report);
  void judged(const Ticket& ticket, nostr::Outcome outcome);
  void farewell();

  void perform(const sync::ReadInformation& action);
  void perform(const sync::Dial& action);
  void perform(const sync::HangUp& action);
  void perform(const sync::Subscribe& action);
  void perform(const sync::Unsubscribe& action);
  void perform(const sync::NegOpen& action);
  void perform(const sync::NegContinue& action);
  void perform(const sync::NegClose& action);
  void perform(const sync::Authenticate& action);
  void perform(const sync::LookUp& action);
  void perform(const sync::Save& action);
  void perform(const sync::Forget& action);
  void perform(const sync::Log& action);
  void perform(const sync::WakeAt& action);

  static net::Task<void> read_information(std::shared_ptr<SyncLoop> self,
                                          sync::ReadInformation action);
  static net::Task<void> keep_link(std::shared_ptr<SyncLoop> self, std::shared_ptr<PeerLink> link,
                                   net::Task<void> run);
  static net::Task<void> attended(std::shared_ptr<SyncLoop> self, net::Task<void> task);
  bool may_be_private(const nostr::RelayUrl& url) const;
  void check_held();  // R5 of serve/sync/peer_link.h
  // The link of that very session; an action that crossed its end meets nobody.
  template <class Use>
  void with_link(sync::RelayId relay, sync::Session session, const Use& use) {
    const auto at = links_.find(relay);
    if (at == links_.end() || at->second->session() != session) return;
    const auto link = at->second;
    use(*link);
  }
  void refresh();
  void refresh_soon();
  void write_records();
  // Runs a coroutine on the thread of sync; close() waits for its end, however that comes.
  void spawn(const char* name, net::Task<void> task);

  const SyncServiceOptions options_;
  const nostr::Keypair identity_;
  store::EventStore& store_;
  const SyncSources sources_;
  RelayServer& relay_;
  net::Server& server_;
  const std::size_t thread_;
  const SyncFeed feed_;
  const SyncInventory inventory_;
  SyncIntake intake_;
  sync::Engine engine_;
  std::deque<sync::Input> inputs_;
  bool stepping_ = false;
  net::Alarm alarm_, refresh_;
  bool refresh_is_set_ = false;
  std::unique_ptr<net::Dialer> dialer_;
  Workers workers_{1, Workers::Priority::Background};
  nostr::JsonReader reader_;
  PeerBytes held_;
  SyncContext context_;
  std::map<sync::RelayId, std::shared_ptr<PeerLink>> links_;
  std::map<std::string, SyncTraffic> traffic_;  // of links that are gone, by url
  std::map<std::string, std::shared_ptr<sync::IntakeRate>> rates_;  // by url, over its connections
  std::map<std::string, store::Note> records_;                      // to be written, by key
  bool closing_ = false;

  mutable std::mutex mutex_;  // guards what follows: others look from other threads
  std::shared_ptr<const SyncReport> view_;
  std::size_t tasks_ = 0;
  std::condition_variable all_ended_;
};

}  // namespace graspd::serve
