#include "grasp/purgatory_note.h"

#include <fmt/format.h>

#include "grasp/note_text.h"
#include "nostr/json.h"

namespace graspd::grasp::note {
namespace {

constexpr std::string_view kInPrRepository = " tray", kFrom = " from ";  // after the owner

}  // namespace

std::string announcement_key(const Purgatory::Key& key) {
  return fmt::format("purgatory/announcement/{}/{}", key.owner.hex(), key.identifier.text());
}
std::string state_key(const Purgatory::Key& key) {
  return fmt::format("purgatory/state/{}/{}", key.owner.hex(), key.identifier.text());
}
std::string pull_key(const nostr::EventId& id) {
  return fmt::format("purgatory/pull/{}", id.hex());
}
std::string upload_key(std::string_view token) { return fmt::format("purgatory/upload/{}", token); }
std::string expired_key(const nostr::EventId& id) {
  return fmt::format("purgatory/expired/{}", id.hex());
}

std::string text(const Held& held) {
  return fmt::format("{} {:d} {:d}{}{}\n{}", held.expires, held.asleep, held.synced,
                     held.source.empty() ? "" : " ", held.source, held.event->json);
}

std::string text(const Upload& upload) {
  return fmt::format("{} {} {} {} {}{}{}{}\n{}", upload.expires, upload.bytes, upload.event.hex(),
                     upload.commit.hex(), upload.repo.owner.hex(),
                     upload.in_pr_repository ? kInPrRepository : "", kFrom, upload.from.text(),
                     upload.repo.identifier.text());
}

std::optional<Held> parse_held(std::string_view text) {
  std::string_view head = take(text, '\n');
  const auto expires = number<core::UnixSeconds>(take(head, ' '));
  const auto asleep = number<int>(take(head, ' '));
  const auto synced = number<int>(take(head, ' '));
  auto event = nostr::JsonReader().event(text);
  if (!expires || !asleep || !synced || !event) return std::nullopt;
  auto wire = std::make_shared<nostr::WireEvent>();
  wire->event = *std::move(event);
  wire->json = std::string(text);
  // Earlier versions did not note where it came from.
  return Held{std::move(wire), *expires, *asleep != 0, *synced != 0, std::string(head)};
}

std::optional<Upload> parse_upload(std::string_view token, std::string_view text) {
  std::string_view head = take(text, '\n');
  const auto expires = number<core::UnixSeconds>(take(head, ' '));
  const auto bytes = number<std::uint64_t>(take(head, ' '));
  const auto event = nostr::EventId::from_hex(take(head, ' '));
  const auto commit = git::Oid::parse(take(head, ' '));
  // Earlier versions did not note where it came from.
  const auto at = std::min(head.find(kFrom), head.size());
  const auto from = core::IpAddress::parse(head.substr(std::min(at + kFrom.size(), head.size())));
  head = head.substr(0, at);
  const bool in_pr_repository = head.ends_with(kInPrRepository);
  if (in_pr_repository) head.remove_suffix(kInPrRepository.size());
  const auto owner = nostr::PublicKey::from_hex(head);
  const auto identifier = Identifier::parse(text);
  if (!expires || !bytes || !event || !commit || !owner || !identifier) return std::nullopt;
  return Upload{.token = std::string(token),
                .repo = {*owner, *identifier},
                .event = *event,
                .commit = *commit,
                .bytes = *bytes,
                .expires = *expires,
                .in_pr_repository = in_pr_repository,
                .from = from.value_or(core::IpAddress())};
}

}  // namespace graspd::grasp::note
