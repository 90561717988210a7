// Who may use git over HTTP on a private service (GRASP-08): a member who signs an event for the
// repository (NIP-98).
//
//   R1  The credential is one event in base64 with padding: `Authorization: Nostr <base64>`, or the
//       password of HTTP Basic with any user name, which is what git itself can send.
//   R2  The event is of kind 27235, its id and signature are right, its author is a member, and it
//       is at most 60 seconds off our clock.
//   R3  It has exactly one `u` tag and one `method` tag, of two elements each. `u` is the root of
//       the repository: the service's origin, then the request path up to its last `.git`. `method`
//       is GET, also for POST. Content and other tags do not matter.
//   R4  Both roots are compared in their one usual spelling (nostr/relay_url.h): lower-case host,
//       no default port, percent sequences decoded.
//   R5  An accepted credential stays good on its root for ten minutes, since clients sign once and
//       may pack for a long time before they send. What is remembered is bounded, and forgotten
//       when its author ceases to be a member.
//
// Not thread-safe, but for claim() and GitClaim::is_signed(), which cost most of the time.
#pragma once
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/time.h"
#include "nostr/event.h"
#include "nostr/relay_url.h"
#include "relay/member_set.h"

namespace graspd::relay {

// R3 and R4: the root of the repository that an http(s) URL leads to; nullopt: to none.
std::optional<std::string> git_root(std::string_view url);

// What a request says of its sender, and not yet who that is.
struct GitClaim {
  nostr::Event event;
  std::string root;  // of the repository that is asked for, and that the event names

  bool is_signed() const;  // id and signature, R2
};

class GitAccess {
 public:
  static constexpr core::Duration kGoodFor = std::chrono::minutes(10);
  // About 3 MiB. Each takes a member's signature; the oldest gives way.
  static constexpr std::size_t kRememberedMax = 10'000;

  // The service as its clients see it: https://example.com[:port], without a path.
  explicit GitAccess(std::string origin) : origin_(std::move(origin)) {}

  // Of a request for this path (as received, with the mount); nullopt: there is none.
  std::optional<GitClaim> claim(std::optional<std::string_view> authorization,
                                std::string_view path) const;
  // Is it a member's, and of this time (R2) or accepted before (R5)? Its signature is not checked.
  bool may_be_good(const GitClaim& claim, core::Now now, const IsMember& is_member) const;
  void accept(const GitClaim& claim, core::Instant now);  // R5: it is good, and signed
  void members_changed(const IsMember& is_member);        // R5
  std::size_t remembered() const { return accepted_.size(); }

 private:
  struct Accepted {
    std::string root;
    nostr::PublicKey member;
    core::Instant until;
  };

  bool is_remembered(const GitClaim& claim, core::Instant now) const;
  void forget_old(core::Instant now);

  const std::string origin_;
  std::map<nostr::EventId, Accepted> accepted_;
  std::deque<nostr::EventId> order_;  // as they were accepted
};

}  // namespace graspd::relay
