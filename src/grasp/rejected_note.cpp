#include "grasp/rejected_note.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "grasp/note_text.h"
#include "nostr/json.h"

namespace graspd::grasp::note {
namespace {

constexpr int kHex = 16;

std::optional<std::uint64_t> parse_key(std::string_view key, std::string_view prefix) {
  if (!key.starts_with(prefix)) return std::nullopt;
  return number<std::uint64_t>(key.substr(prefix.size()), kHex);
}

std::string_view relay_text(const nostr::RelayUrl* relay) {
  return relay ? std::string_view(relay->text()) : "-";
}

std::string hashes_text(const std::vector<std::uint64_t>& hashes) {
  return fmt::format("{:x}", fmt::join(hashes, " "));
}

std::optional<std::vector<std::uint64_t>> parse_hashes(std::string_view text) {
  std::vector<std::uint64_t> hashes;
  while (!text.empty()) {
    const auto hash = number<std::uint64_t>(take(text, ' '), kHex);
    if (!hash) return std::nullopt;
    hashes.push_back(*hash);
  }
  return hashes;
}

}  // namespace

std::string waiting_key(OrphanPool::Number number) {
  return fmt::format("{}{:016x}", OrphanPool::kNotePrefix, number);
}
std::string rejected_key(RejectedIds::Number number) {
  return fmt::format("{}{:016x}", RejectedIds::kNotePrefix, number);
}
std::optional<OrphanPool::Number> parse_waiting_key(std::string_view key) {
  return parse_key(key, OrphanPool::kNotePrefix);
}
std::optional<RejectedIds::Number> parse_rejected_key(std::string_view key) {
  return parse_key(key, RejectedIds::kNotePrefix);
}

std::string text(const Orphan& orphan) {
  return fmt::format("{} {:d} {}\n{}", orphan.since, orphan.origin.synced,
                     relay_text(orphan.origin.relay.get()), orphan.event->json);
}

std::string text(const Rejected& rejected, const nostr::RelayUrl* relay) {
  const EventDigest& event = rejected.event;
  return fmt::format("{} {:d} {} {} {} {} {}\n{}\n{}", rejected.since,
                     static_cast<int>(rejected.reason), event.created_at, event.kind.value,
                     event.id.hex(), event.pubkey.hex(), relay_text(relay), hashes_text(event.tags),
                     hashes_text(rejected.lacks));
}

std::optional<Orphan> parse_orphan(std::string_view text) {
  std::string_view head = take(text, '\n');
  const auto since = number<core::UnixSeconds>(take(head, ' '));
  const auto synced = number<int>(take(head, ' '));
  const auto relay = nostr::RelayUrl::parse(head);
  auto event = nostr::JsonReader().event(text);
  if (!since || !synced || !event) return std::nullopt;
  auto wire = std::make_shared<nostr::WireEvent>();
  wire->event = *std::move(event);
  wire->json = std::string(text);
  Orphan orphan{std::move(wire), {*synced != 0, nullptr}, *since, {}};
  if (relay) orphan.origin.relay = std::make_shared<const nostr::RelayUrl>(*relay);
  return orphan;
}

std::optional<ReadRejected> parse_rejected(std::string_view text) {
  std::string_view head = take(text, '\n');
  const auto since = number<core::UnixSeconds>(take(head, ' '));
  const auto reason = number<std::uint8_t>(take(head, ' '));
  const auto created_at = number<core::UnixSeconds>(take(head, ' '));
  const auto kind = number<std::uint16_t>(take(head, ' '));
  const auto id = nostr::EventId::from_hex(take(head, ' '));
  const auto pubkey = nostr::PublicKey::from_hex(take(head, ' '));
  auto tags = parse_hashes(take(text, '\n'));
  auto lacks = parse_hashes(text);
  if (!since || !reason || !created_at || !kind || !id || !pubkey || !tags || !lacks)
    return std::nullopt;
  if (*reason > static_cast<std::uint8_t>(Reason::Abandoned)) return std::nullopt;
  EventDigest event{*id, *pubkey, *created_at, {*kind}, *std::move(tags)};
  return ReadRejected{{std::move(event), static_cast<Reason>(*reason), *since, *std::move(lacks)},
                      nostr::RelayUrl::parse(head)};
}

}  // namespace graspd::grasp::note
