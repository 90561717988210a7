// The part of an event that filters need, without its text.
//
//   R1  A digest matches every filter that its event matches. Tags are kept as 64-bit hashes, so it
//       may, very rarely, match a filter that its event does not match.
//   R2  The hashes are the same on every machine, because digests are stored.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "nostr/filter.h"

namespace graspd::grasp {

struct EventDigest {
  nostr::EventId id;
  nostr::PublicKey pubkey;
  core::UnixSeconds created_at = 0;
  nostr::Kind kind;
  std::vector<std::uint64_t> tags;  // hashes of the single-letter ones, sorted, unique

  bool operator==(const EventDigest&) const = default;
};

EventDigest digest_of(const nostr::Event& event);
std::uint64_t hash_of(std::string_view text);

// A filter made ready for many digests.
class DigestFilter {
 public:
  explicit DigestFilter(const nostr::Filter& filter);
  bool matches(const EventDigest& event) const;

 private:
  nostr::Filter rest_;                            // all but the tags
  std::vector<std::vector<std::uint64_t>> tags_;  // one of each must be there; sorted
};

}  // namespace graspd::grasp
