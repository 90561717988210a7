#include "app/client/drafts.h"

#include <fmt/format.h>
#include <utility>

#include "app/base/secret_file.h"
#include "core/url.h"
#include "nostr/nip19.h"
#include "serve/runtime/random.h"

namespace graspd::app {
namespace {

using core::Failure;
using grasp::Coordinate;
using grasp::Identifier;

constexpr nostr::Kind kIssue{1621};

void add(nostr::Tags& tags, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  tags.begin_row();
  tags.append(name);
  tags.append(value);
}

void add_all(nostr::Tags& tags, std::string_view name, const std::vector<std::string>& values) {
  if (values.empty()) return;
  tags.begin_row();
  tags.append(name);
  for (const std::string& value : values) tags.append(value);
}

std::vector<std::string> hex_of(const std::vector<nostr::PublicKey>& keys) {
  std::vector<std::string> texts;
  texts.reserve(keys.size());
  for (const auto& key : keys) texts.push_back(key.hex());
  return texts;
}

std::optional<Coordinate> from_naddr(std::string_view text) {
  const auto entity = nostr::nip19::decode(text);
  if (!entity) return std::nullopt;
  const auto* pointer = std::get_if<nostr::nip19::AddressPointer>(&*entity);
  return pointer ? Coordinate::from_address(pointer->address) : std::nullopt;
}

std::optional<Coordinate> from_owner_and_identifier(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto owner = parse_person(text.substr(0, slash));
  const auto identifier = Identifier::parse(text.substr(slash + 1));
  if (!owner || !identifier) return std::nullopt;
  return Coordinate{*owner, *identifier};
}

std::optional<Coordinate> from_clone_url(std::string_view text) {
  const auto url = core::Url::parse(text);
  if (!url || (url->scheme != "http" && url->scheme != "https")) return std::nullopt;
  const std::string_view path = url->path;
  const auto second = path.rfind('/');
  if (second == std::string_view::npos || second == 0) return std::nullopt;
  const auto first = path.rfind('/', second - 1);
  return Coordinate::from_url_path(path.substr(first + 1, second - first - 1),
                                   path.substr(second + 1));
}

std::string_view without_scheme(std::string_view text) {
  for (const std::string_view scheme : {"nostr://", "nostr:"}) {
    if (text.starts_with(scheme)) return text.substr(scheme.size());
  }
  return text;
}

}  // namespace

nostr::Draft announcement_draft(const AnnouncementRequest& wish) {
  nostr::Draft draft{.kind = grasp::kinds::kAnnouncement};
  add(draft.tags, "d", wish.identifier.text());
  add(draft.tags, "name", wish.name);
  add(draft.tags, "description", wish.description);
  add_all(draft.tags, "web", wish.web);
  add_all(draft.tags, "clone", wish.clone);
  add_all(draft.tags, "relays", wish.relays);
  add_all(draft.tags, "maintainers", hex_of(wish.maintainers));
  if (!wish.earliest_unique_commit.empty())
    add_all(draft.tags, "r", {wish.earliest_unique_commit, "euc"});
  for (const std::string& topic : wish.topics) add(draft.tags, "t", topic);
  return draft;
}

nostr::Draft state_draft(const Identifier& identifier, const git::Refs& refs,
                         const std::optional<git::RefName>& head) {
  nostr::Draft draft{.kind = grasp::kinds::kState};
  add(draft.tags, "d", identifier.text());
  for (const auto& [name, oid] : refs) add(draft.tags, name.text(), oid.hex());
  if (head && refs.contains(*head)) add(draft.tags, "HEAD", "ref: " + head->text());
  return draft;
}

nostr::Draft issue_draft(const IssueRequest& wish) {
  nostr::Draft draft{.kind = kIssue, .content = wish.text};
  add(draft.tags, "a", wish.repository.announcement_address().text());
  add(draft.tags, "p", wish.repository.owner.hex());
  add(draft.tags, "subject", wish.subject);
  for (const std::string& label : wish.labels) add(draft.tags, "t", label);
  return draft;
}

std::string clone_url(const nostr::RelayUrl& relay, const Coordinate& repository) {
  // The texts differ in the scheme alone: ws and http, wss and https.
  const std::string_view beyond = std::string_view(relay.text()).substr(relay.is_secure() ? 3 : 2);
  return fmt::format("{}{}{}", relay.is_secure() ? "https" : "http", beyond, repository.url_path());
}

core::Result<Coordinate, std::string> parse_repository(std::string_view text) {
  const std::string_view name = without_scheme(text);
  if (auto found = from_naddr(name)) return *std::move(found);
  if (auto found = from_clone_url(name)) return *std::move(found);
  if (const auto address = nostr::Address::parse(name)) {
    if (auto found = Coordinate::from_address(*address)) return *std::move(found);
  }
  if (auto found = from_owner_and_identifier(name)) return *std::move(found);
  return Failure{
      fmt::format("\"{}\" names no repository; write naddr1…, npub1…/identifier, "
                  "30617:<owner in hex>:<identifier> or the URL that git clones",
                  text)};
}

std::optional<nostr::PublicKey> parse_person(std::string_view text) {
  if (const auto key = nostr::nip19::parse_npub(text)) return key;
  return nostr::PublicKey::from_hex(text);
}

core::Result<Identifier, std::string> parse_identifier(std::string_view text) {
  if (auto identifier = Identifier::parse(text)) return *std::move(identifier);
  return Failure{fmt::format("\"{}\" cannot be an identifier: {}; write a short name like my-tool",
                             text, grasp::describe(*Identifier::fault(text)))};
}

nostr::Event signed_event(const nostr::Draft& draft, const nostr::Keypair& keypair,
                          core::UnixSeconds now) {
  nostr::Event event;
  event.kind = draft.kind;
  event.created_at = draft.created_at.value_or(now);
  event.tags = draft.tags;
  event.content = draft.content;
  std::array<std::uint8_t, 32> randomness;
  serve::fill_random(randomness);
  keypair.sign(event, randomness);
  return event;
}

nostr::Draft authentication_draft(const nostr::RelayUrl& relay, std::string_view challenge) {
  nostr::Draft draft{.kind = nostr::kinds::kClientAuth};
  add(draft.tags, "relay", relay.text());
  add(draft.tags, "challenge", challenge);
  return draft;
}

}  // namespace graspd::app
