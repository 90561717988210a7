// One client: carries messages between its socket and its session, and performs what the session
// asks for. Decides nothing.
//
//   R1  Everything here runs on the connection's network thread; workers get copies.
//   R2  The server stops reading from a client that sends faster than its events and queries are
//       processed, or that does not read its answers, until it has caught up.
//   R3  Stored events are read in slices; the next slice is read only after the socket has taken
//       the last one, so a slow client holds neither memory nor a snapshot.
//   R4  A query that is cancelled, or whose client is gone, does no more work than the slice it is
//       in.
//   R5  On a private service a connection counts as unproven until its session says that it is
//       open, and has the limits of relay/gate.h until then.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/ip_address.h"
#include "negentropy/reconciler.h"
#include "net/server.h"
#include "net/signal.h"
#include "net/web_socket.h"
#include "nostr/json.h"
#include "relay/backlog.h"
#include "relay/session.h"
#include "serve/relay/client_quotas.h"
#include "serve/relay/ingest.h"
#include "serve/relay/item_sets.h"
#include "serve/relay/meters.h"
#include "serve/runtime/members.h"
#include "serve/runtime/workers.h"

namespace graspd::serve {

// What all connections share.
struct RelayContext {
  const relay::Limits& limits;
  const nostr::RelayUrl& self;
  const nostr::PublicKey& owner;
  store::EventStore& store;
  Ingest& ingest;
  Workers& workers;
  Workers& quick_workers;  // for questions about a few events
  ItemSets& item_sets;
  ClientQuotas& clients;
  Meters& meters;
  net::Server& server;
  const Members* members;  // of a private service; nullptr: everybody may come
};

// What the connections of one network thread share.
struct ThreadContext {
  std::size_t index = 0;
  std::vector<Submission> outbox;  // on the way to ingest, collected over a few turns of the loop
  nostr::JsonReader reader;
  relay::Subscriptions subscriptions;
  std::map<std::uint64_t, std::weak_ptr<class ClientConnection>> connections;
  std::uint64_t batches = 0;  // announced here; the last of them is being told
};

class ClientConnection : public std::enable_shared_from_this<ClientConnection> {
 public:
  ClientConnection(RelayContext& relay, ThreadContext& thread, std::uint64_t id,
                   std::shared_ptr<net::WebSocket> socket, core::IpAddress client);
  ~ClientConnection();

  static net::Task<void> run(std::shared_ptr<ClientConnection> self);

  void decided(Decision decision);
  void deliver(relay::Handle subscription, const NewEvent& news);
  void tick();
  void members_changed() { step(relay::MembersChanged{}); }

 private:
  struct Reading;
  struct Slice;
  struct Counting;
  struct Reconciling;

  void hear(const net::Message& message);
  void enter();
  void prove();
  void leave();
  void account();
  void step(relay::Input input);

  void perform(relay::Send& action);
  void perform(relay::Submit& action);
  void perform(relay::Listen& action);
  void perform(relay::Unlisten& action);
  void perform(relay::Read& action);
  void perform(relay::Count& action);
  void perform(relay::CancelQuery& action);
  void perform(relay::OpenReconciliation& action);
  void perform(relay::ContinueReconciliation& action);
  void perform(relay::EndReconciliation& action);
  void perform(relay::Opened& action);
  void perform(relay::End& action);

  void call_off_everything();
  void read_slice(std::shared_ptr<Reading> reading);
  void take_slice(std::shared_ptr<Reading> reading, Slice slice);
  void take_count(const Counting& counting, relay::Input result);
  void take_answer(Reconciling& reconciling, relay::Input result);

  static void hand_over(RelayContext& relay, ThreadContext& thread, std::size_t seen);
  void deliver_backlog();
  bool must_wait() const;
  void watch_drain();
  static net::Task<void> drain(std::shared_ptr<ClientConnection> self);

  // Runs `work`, which holds so many bytes, on a worker, until it returns what to do back here, if
  // the connection still lives. Between two runs others have their turn.
  using Then = std::function<void(ClientConnection&)>;
  void on_worker(Workers& workers, std::size_t bytes, std::function<Then()> work);

  RelayContext& relay_;
  ThreadContext& thread_;
  const std::uint64_t id_;
  const std::shared_ptr<net::WebSocket> socket_;
  const core::IpAddress client_;
  const Asker asker_{party_of(client_), id_};
  relay::Session session_;
  relay::Backlog backlog_;

  std::size_t undecided_ = 0, undecided_bytes_ = 0;
  std::size_t asked_bytes_ = 0;  // with the workers
  net::Signal calm_;
  bool draining_ = false;
  bool unproven_ = false;         // R5
  bool gone_ = false;             // the socket has taken its last byte
  bool left_ = false;             // nothing is heard any more
  std::size_t socket_bytes_ = 0;  // as of the last tick
  std::size_t held_bytes_ = 0;    // as the quotas know it
  struct Heard {
    store::Serial up_to = 0;  // of what is stored: live comes after
    relay::Filters filters;
  };
  std::map<relay::Handle, Heard> heard_;  // by subscription
  std::map<relay::Handle, std::shared_ptr<Reading>> readings_;
  std::vector<std::shared_ptr<Reading>> paused_;
  std::map<relay::Handle, std::shared_ptr<Counting>> counts_;
  std::map<relay::Handle, std::shared_ptr<Reconciling>> reconciliations_;
};

}  // namespace graspd::serve
