// Entries of one type, by key, by expiry and by author.
#pragma once
#include <utility>
#include <vector>

#include "core/persistent_map.h"
#include "core/persistent_set.h"
#include "core/time.h"
#include "nostr/wire_event.h"

namespace graspd::grasp {

template <class Key, class Entry>
class Shelf {
 public:
  const Entry* find(const Key& key) const { return entries_.find(key); }
  const core::PersistentMap<Key, Entry>& entries() const { return entries_; }
  std::size_t size() const { return entries_.size(); }

  void put(const Key& key, Entry entry) {
    erase(key);
    by_deadline_.insert({entry.expires, key});
    by_author_[entry.event->event.pubkey].insert(key);
    entries_.insert_or_assign(key, std::move(entry));
  }
  void erase(Key key) {
    const Entry* known = entries_.find(key);
    if (!known) return;
    const nostr::PublicKey author = known->event->event.pubkey;
    by_deadline_.erase(std::pair(known->expires, key));
    auto& own = by_author_[author];
    own.erase(key);
    if (own.empty()) by_author_.erase(author);
    entries_.erase(key);
  }
  // The entry after the change; nullptr when there is none.
  template <class Change>
  const Entry* change(const Key& key, const Change& change) {
    Entry* entry = entries_.find_to_change(key);
    if (!entry) return nullptr;
    by_deadline_.erase(std::pair(entry->expires, key));
    change(*entry);
    by_deadline_.insert({entry->expires, key});
    return entry;
  }

  std::vector<Key> due(core::UnixSeconds now) const {
    std::vector<Key> keys;
    for (auto at = by_deadline_.begin(); at != by_deadline_.end() && at->first <= now; ++at)
      keys.push_back(at->second);
    return keys;
  }
  std::vector<Key> by(const nostr::PublicKey& author) const {
    const auto* own = by_author_.find(author);
    if (!own) return {};
    return {own->begin(), own->end()};
  }

 private:
  core::PersistentMap<Key, Entry> entries_;
  core::PersistentSet<std::pair<core::UnixSeconds, Key>> by_deadline_;
  core::PersistentMap<nostr::PublicKey, core::PersistentSet<Key>> by_author_;
};

}  // namespace graspd::grasp
