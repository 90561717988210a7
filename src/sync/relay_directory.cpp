#include "sync/relay_directory.h"

#include "core/check.h"

namespace graspd::sync {
namespace {

constexpr std::size_t kRecordsMax = 10'000;  // some hundred bytes each

}  // namespace

Relay& RelayDirectory::add(core::Now now, const nostr::RelayUrl& url, Reason reason) {
  const RelayId id{next_++};
  auto relay = std::make_unique<Relay>(
      Relay{.memory = {.id = id, .url = url, .bootstrap = reason == Reason::Bootstrap},
            .reason = reason});
  const auto record = records_.find(url);
  if (record != records_.end()) {
    relay->memory.health = Health(record->second.health, now);
    relay->memory.lessons = record->second.lessons;
    relay->memory.lost.restore(record->second.lost, now.instant);
    records_.erase(record);
  }
  addresses_.emplace(url, id);
  return *relays_.emplace(id, std::move(relay)).first->second;
}

bool RelayDirectory::remove(core::Now now, RelayId id) {
  const auto at = relays_.find(id);
  const RelayMemory& memory = at->second->memory;
  RelayRecord record{.url = memory.url,
                     .health = memory.health.record(now),
                     .lessons = memory.lessons,
                     .lost = {}};
  const bool is_kept = record.health.failures > 0 && records_.size() < kRecordsMax;
  if (is_kept) records_.insert_or_assign(memory.url, std::move(record));
  addresses_.erase(memory.url);
  relays_.erase(at);
  return is_kept;
}

void RelayDirectory::restore(const RelayRecord& record) {
  records_.insert_or_assign(record.url, record);
}

const Relay* RelayDirectory::find(RelayId id) const {
  const auto at = relays_.find(id);
  return at == relays_.end() ? nullptr : at->second.get();
}

Relay* RelayDirectory::find(RelayId id) {
  return const_cast<Relay*>(std::as_const(*this).find(id));
}

const Relay* RelayDirectory::find(const nostr::RelayUrl& url) const {
  const auto at = addresses_.find(url);
  return at == addresses_.end() ? nullptr : relays_.at(at->second).get();
}

Relay* RelayDirectory::find(const nostr::RelayUrl& url) {
  return const_cast<Relay*>(std::as_const(*this).find(url));
}

void RelayDirectory::check_invariants() const {
  for (const auto& [id, relay] : relays_) {
    CHECK(relay->memory.id == id);
    CHECK(addresses_.at(relay->memory.url) == id);
    if (const PeerSession* session = relay->connection()) session->check_invariants();
  }
}

}  // namespace graspd::sync
