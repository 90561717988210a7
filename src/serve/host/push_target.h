// Where a push is judged and carried out, whatever it is pushed into: a repository that is hosted
// here (repository_push.h), or a PR repository for pull requests (pr_push.h). Both are named by a
// coordinate.
//
// All of it blocks: for worker threads.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "git/authorize.h"
#include "git/command_line.h"
#include "git/push_request.h"
#include "git/report.h"
#include "gitio/staging.h"
#include "serve/host/alignments.h"

namespace graspd::serve {

struct PushCheck {
  core::IpAddress from;                       // whose push it is
  std::vector<git::CommandVerdict> verdicts;  // in the order of the commands
  std::vector<git::Oid> signed_tips;          // that a signed event names
  std::vector<git::Command> unsigned_refs;    // that no event names yet
  // What may come with it, where it is for pull requests of strangers alone and there is a quota.
  std::optional<std::uint64_t> pulls_space = {};

  bool accepted() const;
  bool nothing_to_do() const;  // all results are there already
  std::vector<git::Result> refusals(const git::PushRequest& request) const;
};

class PushTarget {
 public:
  virtual ~PushTarget() = default;

  virtual std::string key(const grasp::Coordinate& target) const = 0;  // its path below the root
  // The repository that the push builds upon.
  virtual std::filesystem::path path(const grasp::Coordinate& target) const = 0;

  // Why no push at all can be taken now.
  virtual std::optional<std::string> closed(const grasp::Coordinate& target) const = 0;
  // With what the quota leaves, and what to say of a push beyond that.
  virtual git::ReceiveLimits limits(const grasp::Coordinate& target) const = 0;
  virtual std::string beyond_quota(const grasp::Coordinate& target) const = 0;
  // For all that is received at the same time; nothing: any amount. `uploader`: who sends what no
  // event names yet.
  using Uploader = std::optional<core::IpAddress>;
  virtual std::optional<std::uint64_t> space(const grasp::Coordinate& target,
                                             const Uploader& uploader) const = 0;
  // All of a push, for one reason that was found before or beside check().
  virtual std::vector<git::Result> refuse(const git::PushRequest& request,
                                          const std::string& reason) const;
  // What is said of one that names no ref.
  virtual std::string refusal(const std::string& reason) const { return reason; }
  virtual grasp::BeingPushed being_pushed(const grasp::Coordinate& target,
                                          const git::PushRequest& request) const;
  std::vector<git::Oid> unknown(const grasp::Coordinate& target,
                                const std::vector<git::Oid>& oids) const;

  virtual PushCheck check(const grasp::Coordinate& target, const git::PushRequest& request) = 0;
  // After the pack is in `staging` (none when there was nothing to send).
  virtual std::vector<git::Result> deliver(const grasp::Coordinate& target,
                                           const git::PushRequest& request,
                                           std::optional<gitio::Staging> staging) = 0;
  virtual void failed(const grasp::Coordinate& target) = 0;  // a push was refused, or broke off
};

// Whose refs are among those pushed.
std::vector<PullScope> pulls_in(const git::PushRequest& request);

// What uploads without an event may still take there.
inline constexpr std::string_view kNoSpaceForUploads =
    "no room for uploads whose event is not published; publish the event first";
inline constexpr std::string_view kNoSpaceForPulls =
    "pull requests of contributors would take more than their share of this repository's quota; a "
    "maintainer makes room by closing some of them (kind 1632)";
std::uint64_t upload_space(Hosting& hosting, const grasp::Coordinate& target, bool in_pr_repository,
                           const core::IpAddress& from);

// What branches and pull requests cannot point to, of what was pushed for them.
std::optional<git::Oid> not_a_commit(const git::PushRequest& request,
                                     const gitio::Staging& staging);

// A commit whose event is not here, kept beside the repositories until the event comes. What went
// wrong, in words for the client.
struct UnsignedRef {
  grasp::Coordinate target;
  bool in_pr_repository = false;
  nostr::EventId event;
  git::Oid commit;
  core::IpAddress from;
};
std::optional<std::string> quarantine(Hosting& hosting, const UnsignedRef& ref,
                                      gitio::Staging& staging);

}  // namespace graspd::serve
