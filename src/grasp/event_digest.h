// What is left of an event when only filters have to be answered: its text is not kept.
//
//   R1  A digest matches a filter when its event does. Tags are kept as hashes of 64 bits, so it
//       may, once in ages, match where its event does not; never the other way round.
//   R2  The hashes are the same on every machine: digests are written down.
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
