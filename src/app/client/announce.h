// graspd announce: says that a repository exists and where (NIP-34, kind 30617).
#pragma once
#include <string>
#include <vector>

#include "app/client/client_options.h"
#include "app/client/drafts.h"

namespace graspd::app {

struct AnnounceOptions {
  ClientOptions client;
  std::string identifier;
  std::string name, description, earliest_unique_commit;
  std::vector<std::string> clone, relays, web, topics, maintainers;
};

int announce(const AnnounceOptions& options);

// What is announced: where nothing is said, the relay's own server hosts the repository.
core::Result<AnnouncementRequest, std::string> announcement_request(const AnnounceOptions& options,
                                                                    const nostr::RelayUrl& relay,
                                                                    const nostr::PublicKey& author);

}  // namespace graspd::app
