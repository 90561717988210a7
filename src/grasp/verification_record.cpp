#include "grasp/verification_record.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "grasp/note_text.h"

namespace graspd::grasp {
namespace {

void append(std::string& out, std::string_view name, std::string value) {
  if (value.empty()) return;
  std::ranges::replace(value, '\n', ' ');
  fmt::format_to(std::back_inserter(out), "{} {}\n", name, value);
}
void append(std::string& out, std::string_view name, std::optional<core::UnixSeconds> time) {
  if (time) append(out, name, std::to_string(*time));
}

std::string to_text(const VerificationRecord& record) {
  const GitHealth& health = record.health;
  const nostr::Version& version = record.ruling.version;
  std::string out = fmt::format("state {} {} {}\n", version.created_at, version.id.hex(),
                                record.ruling.waiting ? "waiting" : "served");
  append(out, "looked", record.looked_at);
  append(out, "synced", health.synced_at);
  append(out, "verified", health.verified_at);
  append(out, "behind", health.behind);
  append(out, "problem", health.problem);
  if (record.made_from) append(out, "made_from", to_text(*record.made_from));
  if (const auto& peer = health.compared)
    append(out, "peer", fmt::format("{} {} {}", peer->at, peer->url, peer->difference));
  return out;
}

std::optional<Ruling> parse_ruling(std::string_view text) {
  const auto created_at = note::number<core::UnixSeconds>(note::take(text, ' '));
  const auto id = nostr::EventId::from_hex(note::take(text, ' '));
  if (!created_at || !id) return std::nullopt;
  return Ruling{{*created_at, *id}, text == "waiting"};
}

std::optional<Comparison> parse_peer(std::string_view text) {
  const auto at = note::number<core::UnixSeconds>(note::take(text, ' '));
  if (!at) return std::nullopt;
  const std::string url(note::take(text, ' '));
  return Comparison{url, *at, std::string(text)};
}

void take_line(VerificationRecord& record, std::string_view name, std::string_view value) {
  GitHealth& health = record.health;
  if (name == "looked")
    record.looked_at = note::number<core::UnixSeconds>(value).value_or(0);
  else if (name == "synced")
    health.synced_at = note::number<core::UnixSeconds>(value);
  else if (name == "verified")
    health.verified_at = note::number<core::UnixSeconds>(value);
  else if (name == "behind")
    health.behind = value;
  else if (name == "problem")
    health.problem = value;
  else if (name == "made_from")
    record.made_from = git::parse_fingerprint(value);
  else if (name == "peer")
    health.compared = parse_peer(value);
}

}  // namespace

store::Note verification_note(const Coordinate& repo,
                              const std::optional<VerificationRecord>& record) {
  store::Note note{std::string(kVerificationPrefix) + repo.announcement_address().text(), {}};
  if (record) note.value = to_text(*record);
  return note;
}

std::optional<KeptVerification> parse_verification(std::string_view key, std::string_view value) {
  key.remove_prefix(std::min(key.size(), kVerificationPrefix.size()));
  const auto address = nostr::Address::parse(key);
  auto repo = address ? Coordinate::from_address(*address) : std::nullopt;
  if (!repo) return std::nullopt;
  VerificationRecord record;
  bool is_ruled = false;
  while (!value.empty()) {
    std::string_view line = note::take(value, '\n');
    const std::string_view name = note::take(line, ' ');
    if (name != "state") {
      take_line(record, name, line);
      continue;
    }
    const auto ruling = parse_ruling(line);
    if (!ruling) return std::nullopt;
    record.ruling = *ruling;
    is_ruled = true;
  }
  if (!is_ruled) return std::nullopt;
  return KeptVerification{*std::move(repo), std::move(record)};
}

}  // namespace graspd::grasp
