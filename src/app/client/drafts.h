// The events that the client commands write (NIP-34), as values before they are signed.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "git/ref_name.h"
#include "grasp/coordinate.h"
#include "nostr/draft.h"
#include "nostr/event.h"
#include "nostr/relay_url.h"
#include "nostr/signature.h"

namespace graspd::app {

struct AnnouncementRequest {
  grasp::Identifier identifier;
  std::string name, description;
  std::vector<std::string> clone, relays, web, topics;
  std::vector<nostr::PublicKey> maintainers;
  std::string earliest_unique_commit;
};
nostr::Draft announcement_draft(const AnnouncementRequest& wish);

// HEAD is left out when there is none, or when its branch is not among `refs`.
nostr::Draft state_draft(const grasp::Identifier& identifier, const git::Refs& refs,
                         const std::optional<git::RefName>& head);

struct IssueRequest {
  grasp::Coordinate repository;
  std::string subject, text;
  std::vector<std::string> labels;
};
nostr::Draft issue_draft(const IssueRequest& wish);

// Where a GRASP server of this relay URL serves a repository to git.
std::string clone_url(const nostr::RelayUrl& relay, const grasp::Coordinate& repository);

// naddr1…, npub1…/identifier, 30617:<hex>:<identifier>, or a clone URL; nostr: in front is fine.
core::Result<grasp::Coordinate, std::string> parse_repository(std::string_view text);
// npub1… or 64 hex digits.
std::optional<nostr::PublicKey> parse_person(std::string_view text);
core::Result<grasp::Identifier, std::string> parse_identifier(std::string_view text);

nostr::Event signed_event(const nostr::Draft& draft, const nostr::Keypair& keypair,
                          core::UnixSeconds now);
// The answer to a relay's challenge (NIP-42).
nostr::Draft authentication_draft(const nostr::RelayUrl& relay, std::string_view challenge);

}  // namespace graspd::app
