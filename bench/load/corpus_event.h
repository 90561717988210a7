// The synthetic world the server is loaded with: the same events on every machine.
//
//   R1  Event n depends on n alone: its author, repository, kind, time, text and signature.
//   R2  About 600 bytes on the wire, kinds 1621, 1617 and 1111, each with `a`, `p` and `e`.
//   R3  Times advance with n but are not in order within an hour, as with real clients.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "nostr/signature.h"

namespace graspd::load {

class World {
 public:
  static constexpr std::size_t kAuthors = 300, kRepositories = 200;

  World();

  nostr::Event event(std::uint64_t number) const;

  const nostr::Keypair& author(std::size_t index) const { return authors_[index]; }
  const std::string& repository(std::size_t index) const { return repositories_[index]; }

 private:
  std::vector<nostr::Keypair> authors_;
  std::vector<std::string> repositories_;  // addresses: 30617:<pubkey>:<identifier>
};

}  // namespace graspd::load
