// The relay's information document (NIP-11). It states the limits that the session enforces.
#pragma once
#include <string>
#include <vector>

#include "nostr/keys.h"
#include "relay/limits.h"

namespace graspd::relay {

struct Identity {
  std::string name;
  std::string description;
  std::string contact;  // left out when empty
  nostr::PublicKey pubkey;
  std::string version;
  bool at_root = true;  // NIP-05 is only offered there
  bool restricted_writes = false;
  bool obeys_requests = true;       // to delete and to vanish (NIP-09, NIP-62)
  bool is_private = false;          // GRASP-08: nothing without authentication
  std::vector<std::string> grasps;  // "GRASP-01"; a plain relay has none
  std::string acceptance_criteria;  // of repositories, for people
  std::string curation;             // left out when empty
  std::string icon;                 // left out when empty
};

std::string information_document(const Identity& identity, const Limits& limits);

}  // namespace graspd::relay
