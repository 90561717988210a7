#include "grasp/maintainers.h"

#include <vector>

#include "core/result.h"

namespace graspd::grasp {
namespace {

using nostr::PublicKey;
using Keys = std::set<PublicKey>;

const Roles* find(const RolesByAuthor& announcements, const PublicKey& key) {
  const auto found = announcements.find(key);
  return found == announcements.end() ? nullptr : &found->second;
}

// R1
core::Result<PublicKey, NoRoot> find_root(const PublicKey& selected,
                                          const RolesByAuthor& announcements) {
  Keys visited;
  PublicKey at = selected;
  while (visited.insert(at).second) {
    const bool followed = at != selected;
    const Roles* roles = find(announcements, at);
    if (!roles) return core::Failure{followed ? NoRoot::LeadMissing : NoRoot::SelectedMissing};
    if (roles->active_leads.size() > 1) return core::Failure{NoRoot::AmbiguousLeads};
    if (roles->active_leads.empty()) {
      if (followed) return core::Failure{NoRoot::LeadDoesNotNameItself};
      if (!roles->author_active) return core::Failure{NoRoot::AuthorInactive};
      return at;
    }
    const PublicKey& lead = *roles->active_leads.begin();
    if (lead == at) return at;
    at = lead;
  }
  return core::Failure{NoRoot::LeadCycle};
}

// Grows the members from the root. The list of a key that a member lists is read once; when no
// member is on it yet, the key is woken by the first of its list that becomes one.
class Growth {
 public:
  Growth(const RolesByAuthor& announcements, Membership membership, std::size_t members_max)
      : announcements_(announcements), membership_(membership), members_max_(members_max) {}

  void run(const PublicKey& root, Authority& authority) {
    admit(root);
    for (std::size_t i = 0; i < admitted_.size(); ++i) welcome(admitted_[i]);
    for (const PublicKey& key : listed_) {
      const Roles* roles = find(announcements_, key);
      const bool has_left = roles && !roles->author_active;
      if (!has_left && members_.count(key) == 0) authority.invited.insert(key);
    }
    authority.members = std::move(members_);
  }

 private:
  void admit(const PublicKey& key) {
    if (members_.size() >= members_max_) return;  // R6
    if (members_.insert(key).second) admitted_.push_back(key);
  }

  // What follows from `member` being one; a copy, because the list it comes from grows.
  void welcome(PublicKey member) {
    if (const auto woken = waiting_for_.find(member); woken != waiting_for_.end()) {
      for (const PublicKey& key : woken->second) admit(key);
    }
    const Roles* roles = find(announcements_, member);
    if (!roles) return;
    const bool at_once = membership_ == Membership::Compatible && !roles->role_format;
    for (const PublicKey& key : roles->listed) {
      listed_.insert(key);
      if (at_once) {
        admit_at_once(key);
      } else {
        consider(key);
      }
    }
  }

  // R3
  void admit_at_once(const PublicKey& key) {
    const Roles* own = find(announcements_, key);
    if (!own || own->author_active) admit(key);
  }

  // R2
  void consider(const PublicKey& key) {
    const Roles* own = find(announcements_, key);
    if (members_.count(key) > 0 || !own || !own->author_active) return;
    if (!considered_.insert(key).second) return;
    for (const PublicKey& other : own->listed) {
      if (members_.count(other) > 0) {
        admit(key);
        return;
      }
      waiting_for_[other].push_back(key);
    }
  }

  const RolesByAuthor& announcements_;
  const Membership membership_;
  const std::size_t members_max_;
  Keys members_, listed_, considered_;
  std::vector<PublicKey> admitted_;  // in order; those not yet welcomed come last
  std::map<PublicKey, std::vector<PublicKey>> waiting_for_;
};

}  // namespace

std::string_view describe(NoRoot reason) {
  switch (reason) {
    case NoRoot::SelectedMissing:
      return "no announcement of the selected key";
    case NoRoot::AuthorInactive:
      return "the announcement's author is no longer a maintainer";
    case NoRoot::LeadMissing:
      return "the lead has no announcement";
    case NoRoot::LeadDoesNotNameItself:
      return "the lead does not name itself as lead";
    case NoRoot::LeadCycle:
      return "the leads form a circle";
    case NoRoot::AmbiguousLeads:
      break;
  }
  return "more than one active lead";
}

Authority resolve(const PublicKey& selected, const RolesByAuthor& announcements,
                  Membership membership, std::size_t members_max) {
  Authority found;
  const auto root = find_root(selected, announcements);
  if (!root) {
    found.failure = root.error();
    return found;
  }
  found.root = *root;
  Growth(announcements, membership, members_max).run(*root, found);
  return found;
}

}  // namespace graspd::grasp
