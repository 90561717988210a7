// What the operator's settings say about repositories and events, without any state.
//
//   R1  A repository that lists this service is hosted, unless this is a read-only archive; what
//       the archive selects is hosted too.
//   R2  A repository is unwelcome if it is on the blacklist, or if it lists this service, there is
//       a whitelist and it is not on it.
//   R3  Only the lists and the members may change while the server runs.
//   R4  On a private service only members announce repositories.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "git/oid.h"
#include "grasp/policy_options.h"
#include "grasp/pull_request.h"

namespace graspd::grasp {

class Rules {
 public:
  explicit Rules(PolicyOptions options) : options_(std::move(options)) {}

  const PolicyOptions& options() const { return options_; }
  void use(AccessLists lists);                           // R3
  void use_members(std::set<nostr::PublicKey> members);  // R3
  // Equal rules, equal texts: what was refused under other rules may come again.
  std::string text() const;

  core::Result<Announcement, std::string> read_announcement(const nostr::Event& event) const {
    return parse_announcement(event, options_.listed_max);
  }
  bool lists_us(const Announcement& announced) const;      // R1, as far as that counts
  bool is_host_of(const Announcement& announced) const;    // R1
  bool is_unwelcome(const Announcement& announced) const;  // R2
  bool is_private() const { return options_.members.has_value(); }
  bool is_member(const nostr::PublicKey& key) const {
    return is_private() && options_.members->contains(key);
  }
  bool may_announce(const nostr::PublicKey& key) const { return !is_private() || is_member(key); }
  // Further than the relay's admission allows.
  bool is_too_far_ahead(core::UnixSeconds created_at, core::UnixSeconds now) const;

  // PR repositories that carry a pull request, also when no repository does. A PR repository may be
  // unwelcome by the operator's lists, and all are while they are off.
  std::vector<Coordinate> pr_repositories_of(const PullRequest& pull) const;
  bool takes_pr_repository(const Coordinate& pr_repository) const;
  // grasp/pr_repository.h, R3
  std::optional<std::string> pr_repository_fault(const PullRequest& pull,
                                                 const Coordinate& pr_repository,
                                                 const git::Oid& commit) const;

 private:
  PolicyOptions options_;
};

}  // namespace graspd::grasp
