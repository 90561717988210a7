// The parts of a private service (GRASP-08) that others share: who is a member, the gate of git,
// and the private servers that git data may be fetched from.
//
//   R1  Derived members and private peers are those of the newest report of sync, as far as served
//       announcements list them.
//   R2  Git data is fetched from private peers, with a credential made anew for each command, and
//       from the hosts of bootstrap relays; from others only when the operator allows it.
//
// From any thread.
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "app/base/owner_key.h"
#include "app/config/settings.h"
#include "gitio/fetch_options.h"
#include "grasp/catalog.h"
#include "serve/git/member_gate.h"
#include "serve/runtime/members.h"
#include "sync/sync_report.h"

namespace graspd::app {

class MemberService {
 public:
  MemberService(const Settings& settings, const OwnerKey& owner, std::uint16_t port);

  serve::Members& members() { return members_; }
  const std::shared_ptr<serve::MemberGate>& gate() const { return gate_; }

  void follow(const sync::SyncReport& report, const grasp::Catalog& catalog);  // R1
  http::Response page() const;  // who is a member, as JSON for the operator
  gitio::RemoteAccess access(const git::FetchUrl& url) const;  // R2

 private:
  using Place = std::pair<std::string, std::uint16_t>;  // host and port

  const nostr::Keypair identity_;
  const bool fetches_from_all_;
  std::set<Place> bootstrap_;
  serve::Members members_;
  const std::shared_ptr<serve::MemberGate> gate_;
  mutable std::mutex mutex_;
  std::set<Place> peers_;
};

}  // namespace graspd::app
