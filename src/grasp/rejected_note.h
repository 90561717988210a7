// The format in which rejected events are stored: one note each, in order of arrival.
//
//   waiting/<number>    "<since> <synced> <relay, or ->\n<event>"
//   rejected/<number>   "<since> <reason> <created_at> <kind> <id> <pubkey> <relay, or ->\n
//                        <hashes of its tags>\n<hashes of what it lacks>"
//
// Numbers in keys, and hashes, are hexadecimal.
#pragma once
#include "grasp/orphan_pool.h"
#include "grasp/rejected_ids.h"

namespace graspd::grasp::note {

std::string waiting_key(OrphanPool::Number number);
std::string rejected_key(RejectedIds::Number number);
std::optional<OrphanPool::Number> parse_waiting_key(std::string_view key);
std::optional<RejectedIds::Number> parse_rejected_key(std::string_view key);

std::string text(const Orphan& orphan);
std::string text(const Rejected& rejected, const nostr::RelayUrl* relay);

struct ReadRejected {
  Rejected rejected;
  std::optional<nostr::RelayUrl> relay;
};
std::optional<Orphan> parse_orphan(std::string_view text);
std::optional<ReadRejected> parse_rejected(std::string_view text);

}  // namespace graspd::grasp::note
