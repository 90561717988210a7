#include "grasp/event_digest.h"

#include <algorithm>

#include "core/sha256.h"

namespace graspd::grasp {
namespace {

std::uint64_t beginning_of(const core::Sha256& hash) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < 8; ++i) number = number << 8 | hash[i];
  return number;
}

std::uint64_t hash_of_tag(char letter, std::string_view value) {
  return beginning_of(core::sha256({std::string_view(&letter, 1), value}));
}

void sort_unique(std::vector<std::uint64_t>& hashes) {
  std::ranges::sort(hashes);
  const auto repeats = std::ranges::unique(hashes);
  hashes.erase(repeats.begin(), repeats.end());
}

template <class T>
bool allows(const std::optional<std::vector<T>>& list, const T& value) {
  return !list || std::ranges::binary_search(*list, value);
}

}  // namespace

std::uint64_t hash_of(std::string_view text) { return beginning_of(core::sha256(text)); }

EventDigest digest_of(const nostr::Event& event) {
  EventDigest digest{event.id, event.pubkey, event.created_at, event.kind, {}};
  for (const nostr::Tag tag : event.tags)
    if (tag.letter() != 0 && tag.size() >= 2)
      digest.tags.push_back(hash_of_tag(tag.letter(), tag.value()));
  sort_unique(digest.tags);
  return digest;
}

DigestFilter::DigestFilter(const nostr::Filter& filter) : rest_(filter) {
  rest_.tags.clear();
  for (const nostr::TagCondition& condition : filter.tags) {
    auto& hashes = tags_.emplace_back();
    for (const std::string& value : condition.values)
      hashes.push_back(hash_of_tag(condition.letter, value));
    sort_unique(hashes);
  }
}

bool DigestFilter::matches(const EventDigest& event) const {
  if (rest_.since && event.created_at < *rest_.since) return false;
  if (rest_.until && event.created_at > *rest_.until) return false;
  if (!allows(rest_.kinds, event.kind) || !allows(rest_.authors, event.pubkey) ||
      !allows(rest_.ids, event.id))
    return false;
  return std::ranges::all_of(tags_, [&](const std::vector<std::uint64_t>& wanted) {
    return std::ranges::any_of(
        event.tags, [&](std::uint64_t tag) { return std::ranges::binary_search(wanted, tag); });
  });
}

}  // namespace graspd::grasp
