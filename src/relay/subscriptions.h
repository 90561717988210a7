// Finds the subscriptions that match a new event.
//
//   R1  The cost of match() depends on the number of matches, not of subscriptions: every filter is
//       indexed by its most selective condition, and an event looks up only its own values.
//   R2  A subscription is reported once per event, however many of its filters match.
//   R3  Reports come in the order the subscriptions were added.
//
// Not thread-safe: one per network thread. The keys are ordered, not hashed, because strangers
// choose them and could make a hash table slow.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "nostr/filter.h"

namespace graspd::relay {

// A subscription of a connection, named by its owner.
struct Subscriber {
  std::uint64_t connection = 0;
  std::uint64_t subscription = 0;
  auto operator<=>(const Subscriber&) const = default;
};

using Filters = std::shared_ptr<const std::vector<nostr::Filter>>;

class Subscriptions {
 public:
  void add(Subscriber subscriber, Filters filters);
  void remove(Subscriber subscriber);

  void match(const nostr::Event& event, std::vector<Subscriber>& out);

  std::size_t size() const { return by_subscriber_.size(); }

  // What a subscription with these filters occupies here, beside the filters.
  static std::size_t footprint(const std::vector<nostr::Filter>& filters);

 private:
  struct Entry {
    Subscriber subscriber;
    std::uint64_t order = 0;
    Filters filters;
    std::uint64_t seen_in_match = 0;
  };
  // Which filter of which subscription; ordered, so that leaving a crowded bucket is cheap.
  struct Place {
    std::uint64_t order;
    std::uint32_t filter;
    auto operator<=>(const Place&) const = default;
  };
  using Bucket = std::map<Place, Entry*>;

  static void for_each_key(const nostr::Filter& filter, const auto& use);
  void visit(std::string_view key, const nostr::Event& event);

  std::map<Subscriber, std::unique_ptr<Entry>> by_subscriber_;
  std::map<std::string, Bucket, std::less<>> by_key_;
  std::uint64_t orders_ = 0;
  std::uint64_t matches_ = 0;
  std::vector<const Entry*> hits_;
  std::string key_;
};

}  // namespace graspd::relay
