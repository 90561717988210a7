// Lets only members of a private service (GRASP-08) to git and to the pages of repositories.
//
//   R1  Without a good credential (relay/git_access.h) every answer is the same 401 without a body,
//       whatever is wrong with the request and whether or not there is such a repository.
//   R2  It offers both ways in: `Nostr` for clients that sign, and `Basic` for git itself, which
//       asks its credential helper only when a server offers that.
//   R3  When a member is removed, their requests that are under way end at once: nothing more is
//       read from them or written to them.
//
// From any thread.
#pragma once
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "http/message.h"
#include "net/exchange.h"
#include "relay/git_access.h"
#include "serve/runtime/members.h"

namespace graspd::serve {

class MemberGate {
 public:
  // `origin` as for relay::GitAccess; `realm` is the service: its domain with the mount.
  // The members outlive the gate, or are closed before it goes.
  MemberGate(std::string origin, std::string realm, Members& members);
  MemberGate(const MemberGate&) = delete;
  MemberGate& operator=(const MemberGate&) = delete;

  // The exchange for a member: R3. nullptr: R1.
  std::shared_ptr<net::Exchange> admit(std::shared_ptr<net::Exchange> exchange);
  http::Response refusal() const;

 private:
  bool may_be_good(const relay::GitClaim& claim, core::Now now);

  const std::string realm_;
  Members& members_;
  const relay::IsMember is_member_;
  std::mutex mutex_;  // of the credentials
  relay::GitAccess access_;
};

}  // namespace graspd::serve
