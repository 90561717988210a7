// A client's REQs and COUNTs.
//
//   R1  A REQ with the id of an open subscription replaces it, even if the REQ itself is rejected;
//       nothing of the old subscription is sent afterwards.
//   R2  New events wait until EOSE of their subscription: stored first, then live, none twice.
//   R3  At most `queries_in_flight` queries are read at a time; the others wait, in order.
//   R4  A filter returns at most `filter_limit` stored events, plus the rest of the last second, so
//       that a client that continues with `until` misses nothing. A filter by `ids` returns all of
//       them; one with `limit: 0` returns none and is live after an immediate EOSE. A limit that
//       the client sets is exact.
//   R5  The events that wait for EOSE, of all subscriptions together, are limited like those that
//       wait for the socket: by what earlier batches brought. Beyond the limit comes CLOSED.
//   R6  Waiting COUNTs hold no more text than all open subscriptions may; beyond that comes CLOSED.
//   R7  CLOSE and CLOSED refer to a name: they end its subscription and its COUNTs. Otherwise a
//       COUNT and a subscription with the same name are independent.
//   R8  What is kept must fit into the space left for its address, counted as real memory.
#pragma once
#include <deque>
#include <map>
#include <set>
#include <string>

#include "relay/limits.h"
#include "relay/messages.h"

namespace graspd::relay {

class Requests {
 public:
  explicit Requests(const Limits& limits) : limits_(limits) {}

  // What a question costs its client: its text, and what its address may still occupy (R8).
  struct Cost {
    std::size_t text_bytes = 0;
    std::size_t space = 0;
  };

  void open(nostr::client::Request request, const Cost& cost, Actions& actions);
  void close(const nostr::SubscriptionId& name, Actions& actions);
  void close_with(const nostr::SubscriptionId& name, std::string_view reason, Actions& actions);
  void close_all(std::string_view reason, Actions& actions);
  void count(nostr::client::Count count, const Cost& cost, Actions& actions);
  std::size_t occupied_bytes() const { return occupied_; }

  void delivered(Delivered in, Actions& actions);
  void read_ended(const ReadEnded& in, Actions& actions);
  void counted(const Counted& in, Actions& actions);
  void failed(const QueryFailed& in, Actions& actions);

 private:
  struct Subscription {
    nostr::SubscriptionId name;
    Filters filters;
    std::size_t bytes = 0;
    std::size_t occupied = 0;
    bool live = false;                           // EOSE has been sent
    std::vector<nostr::WireEventPtr> held_back;  // R2
    std::size_t held_back_bytes = 0;
  };
  struct PendingCount {
    nostr::SubscriptionId name;
    Filters filters;
    std::optional<std::uint8_t> hll_offset;
    std::size_t bytes = 0;
    std::size_t occupied = 0;
  };

  // What REQ and COUNT have in common.
  std::optional<std::string> refuse_form(const nostr::SubscriptionId& name,
                                         std::size_t filters) const;
  std::optional<std::string> refuse(const nostr::client::Request& request, const Cost& cost,
                                    std::size_t occupied) const;
  std::optional<std::string> refuse(const nostr::client::Count& count, const Cost& cost,
                                    std::size_t occupied) const;
  store::Quota quota_of(const nostr::Filter& filter) const;
  Read read(Handle handle, const Subscription& subscription) const;
  void close_request(const nostr::SubscriptionId& name, Actions& actions);
  void go_live(Subscription& subscription, nostr::Completeness completeness, Actions& actions);
  void let_go(Subscription& subscription);
  void drop(Handle handle, Actions& actions);
  void enqueue(Handle handle, Actions& actions);
  void start_waiting(Actions& actions);
  void release(Handle handle, Actions& actions);
  void end_count(Handle handle, Actions& actions);

  const Limits& limits_;
  Handle handles_ = 0;
  std::map<Handle, Subscription> subscriptions_;
  std::map<nostr::SubscriptionId, Handle, std::less<>> by_name_;
  std::map<Handle, PendingCount> counts_;
  std::size_t bytes_ = 0;                // of subscriptions_
  std::size_t count_bytes_ = 0;          // of counts_
  std::size_t occupied_ = 0;             // by both
  std::size_t held_back_bytes_ = 0;      // by all subscriptions
  std::uint64_t batch_ = 0;              // the last that brought something to hold back
  std::size_t held_back_before_it_ = 0;  // bytes
  std::deque<Handle> waiting_;           // R3
  std::set<Handle> reading_;
};

}  // namespace graspd::relay
