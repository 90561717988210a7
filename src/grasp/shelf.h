// Entries of one type, by key, by expiry and by author.
#pragma once
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/time.h"
#include "nostr/wire_event.h"

namespace graspd::grasp {

template <class Key, class Entry>
class Shelf {
 public:
  const Entry* find(const Key& key) const {
    const auto at = entries_.find(key);
    return at == entries_.end() ? nullptr : &at->second;
  }
  const std::map<Key, Entry>& entries() const { return entries_; }
  std::size_t size() const { return entries_.size(); }

  void put(Key key, Entry entry) {
    erase(key);
    by_deadline_.emplace(entry.expires, key);
    by_author_[entry.event->event.pubkey].insert(key);
    entries_.emplace(std::move(key), std::move(entry));
  }
  void erase(Key key) {
    const auto at = entries_.find(key);
    if (at == entries_.end()) return;
    by_deadline_.erase({at->second.expires, key});
    const auto own = by_author_.find(at->second.event->event.pubkey);
    own->second.erase(key);
    if (own->second.empty()) by_author_.erase(own);
    entries_.erase(at);
  }
  // The entry after the change; nullptr when there is none.
  template <class Change>
  const Entry* change(const Key& key, const Change& change) {
    const auto at = entries_.find(key);
    if (at == entries_.end()) return nullptr;
    by_deadline_.erase({at->second.expires, key});
    change(at->second);
    by_deadline_.emplace(at->second.expires, key);
    return &at->second;
  }

  std::vector<Key> due(core::UnixSeconds now) const {
    std::vector<Key> keys;
    for (auto at = by_deadline_.begin(); at != by_deadline_.end() && at->first <= now; ++at)
      keys.push_back(at->second);
    return keys;
  }
  std::vector<Key> by(const nostr::PublicKey& author) const {
    const auto own = by_author_.find(author);
    if (own == by_author_.end()) return {};
    return {own->second.begin(), own->second.end()};
  }

 private:
  std::map<Key, Entry> entries_;
  std::set<std::pair<core::UnixSeconds, Key>> by_deadline_;
  std::map<nostr::PublicKey, std::set<Key>> by_author_;
};

}  // namespace graspd::grasp
