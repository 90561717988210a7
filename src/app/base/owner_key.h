// The identity of the relay: NIP-11 `pubkey`, and the key that signs in its name.
//
//   R1  First hit wins: the systemd credential `relay_owner_nsec`, NGIT_RELAY_OWNER_NSEC,
//       NGIT_OWNER_NSEC_FILE, `.relay-owner.nsec` in the working directory, next to the database
//       folder, one folder above that. (A database at ./data/relay started from elsewhere finds
//       ./data/.relay-owner.nsec and ./.relay-owner.nsec.)
//   R2  Where there is none, one is made: in NGIT_OWNER_NSEC_FILE, else in the working directory.
//   R3  A source that is there but empty or wrong stops the start. A new identity is never made
//       by mistake.
//   R4  The file is readable by its owner only: made so, and an existing one is changed to so, with
//       a warning: whoever has read it can speak for the relay.
//   R5  A new identity beside an existing database is worth a warning: somebody moved something.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "nostr/keys.h"
#include "nostr/signature.h"

namespace graspd::app {

struct OwnerKeyPlaces {
  std::filesystem::path credentials_directory;  // empty: none
  std::optional<nostr::SecretKey> setting;
  std::filesystem::path file;  // empty: not set
  std::filesystem::path working_directory;
  std::filesystem::path relay_data_path;
};

struct OwnerKey {
  nostr::Keypair keypair;
  std::string origin;  // where it came from, for people
  bool is_new = false;
  std::vector<std::string> warnings;
};

// The failure is a sentence for the operator.
core::Result<OwnerKey, std::string> load_owner_key(const OwnerKeyPlaces& places);
// The same for those who only use an identity: nullopt where R2 would make one.
core::Result<std::optional<OwnerKey>, std::string> find_owner_key(const OwnerKeyPlaces& places);

// nsec1… or 64 hex digits; white space around it is ignored.
std::optional<nostr::SecretKey> parse_secret(std::string_view text);

}  // namespace graspd::app
