#include "grasp/member_graph.h"

#include <algorithm>

namespace graspd::grasp {

using nostr::PublicKey;

// The rules R2 and R3 of grasp/maintainers.h, over nodes.
class MemberGraph::Growth {
 public:
  Growth(const MemberGraph& graph, std::uint64_t number)
      : membership_(graph.membership_), max_(graph.members_max_), number_(number) {}

  Resolved run(const Node& root) {
    admit(root);
    for (std::size_t i = 0; i < members_.size(); ++i) welcome(*members_[i]);
    Resolved result;
    result.authority.root = root.key;
    for (const Node* member : members_) result.authority.members.insert(member->key);
    result.members = std::move(members_);
    result.is_cut = is_cut_;
    return result;
  }

 private:
  bool is_member(const Node& node) const { return node.member_in == number_; }

  void admit(const Node& node) {
    if (is_member(node)) return;
    if (members_.size() >= max_) {
      is_cut_ = true;
      return;
    }
    node.member_in = number_;
    members_.push_back(&node);
  }

  void welcome(const Node& member) {
    if (member.waited_for_in == number_)
      for (const Node* woken : member.waiting) admit(*woken);
    const bool at_once = membership_ == Membership::Compatible && !member.has_roles;
    for (const Node* key : member.listed) {
      if (!at_once)
        consider(*key);
      else if (!key->is_announced || key->is_active)
        admit(*key);
    }
  }

  void consider(const Node& key) {
    if (is_member(key) || !key.is_announced || !key.is_active) return;
    if (std::exchange(key.considered_in, number_) == number_) return;
    for (const Node* other : key.listed)
      if (is_member(*other)) return admit(key);
    for (const Node* other : key.listed) {
      if (std::exchange(other->waited_for_in, number_) != number_) other->waiting.clear();
      other->waiting.push_back(&key);
    }
  }

  const Membership membership_;
  const std::size_t max_;
  const std::uint64_t number_;
  std::vector<const Node*> members_;  // in order; those not yet welcomed come last
  bool is_cut_ = false;
};

MemberGraph::Node& MemberGraph::node(const PublicKey& key) {
  const auto [at, is_new] = nodes_.try_emplace(key);
  if (is_new) {
    at->second.key = key;
    at->second.number = next_number_++;
  }
  return at->second;
}

const MemberGraph::Node* MemberGraph::find(const PublicKey& key) const {
  const auto at = nodes_.find(key);
  return at == nodes_.end() ? nullptr : &at->second;
}

void MemberGraph::drop_if_unused(Node& node) {
  if (!node.is_announced && node.listers.empty()) nodes_.erase(PublicKey(node.key));
}

void MemberGraph::unlist(Node& from) {
  for (Node* key : std::exchange(from.listed, {})) {
    key->listers.erase({from.number, &from});
    drop_if_unused(*key);
  }
  from.leads.clear();
}

void MemberGraph::put(const PublicKey& author, const Roles& roles, bool hosts) {
  Node& own = node(author);
  std::vector<Node*> listed;
  for (const PublicKey& key : roles.listed) {
    Node& other = node(key);
    other.listers.insert({own.number, &own});
    listed.push_back(&other);
  }
  // Those it no longer lists; those it still lists stay.
  std::vector<Node*> before = std::exchange(own.listed, std::move(listed));
  for (Node* key : before) {
    if (roles.listed.contains(key->key)) continue;
    key->listers.erase({own.number, &own});
    drop_if_unused(*key);
  }
  own.leads.clear();
  for (const PublicKey& lead : roles.active_leads)
    if (lead == author || roles.listed.contains(lead)) own.leads.push_back(&node(lead));
  own.is_announced = true;
  own.is_active = roles.author_active;
  own.has_roles = roles.role_format;
  own.hosts = hosts;
  forget_dependents(own);
}

void MemberGraph::erase(const PublicKey& author) {
  const auto at = nodes_.find(author);
  if (at == nodes_.end() || !at->second.is_announced) return;
  Node& own = at->second;
  forget_dependents(own);
  unlist(own);
  own.is_announced = own.has_roles = own.hosts = false;
  own.is_active = true;
  drop_if_unused(own);
}

// R2
void MemberGraph::forget_dependents(const Node& changed) {
  const std::uint64_t search = ++searches_;
  std::vector<const Node*> reached{&changed};
  changed.seen = search;
  std::size_t visited = 0;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    reached[i]->resolved.reset();
    for (const auto& [number, lister] : reached[i]->listers) {
      if (++visited > kForgottenMax) {
        ++epoch_;
        return;
      }
      if (std::exchange(lister->seen, search) != search) reached.push_back(lister);
    }
  }
}

bool MemberGraph::is_self_rooted(const Node& node) const {
  if (!node.is_announced) return false;
  if (node.leads.empty()) return node.is_active;
  return node.leads.size() == 1 && node.leads.front() == &node;
}

// R1 of grasp/maintainers.h
core::Result<const MemberGraph::Node*, NoRoot> MemberGraph::root_of(const Node* selected) const {
  const std::uint64_t search = ++searches_;
  const Node* at = selected;
  while (at && std::exchange(at->seen, search) != search) {
    const bool followed = at != selected;
    if (!at->is_announced)
      return core::Failure{followed ? NoRoot::LeadMissing : NoRoot::SelectedMissing};
    if (at->leads.size() > 1) return core::Failure{NoRoot::AmbiguousLeads};
    if (at->leads.empty()) {
      if (followed) return core::Failure{NoRoot::LeadDoesNotNameItself};
      if (!at->is_active) return core::Failure{NoRoot::AuthorInactive};
      return at;
    }
    if (at->leads.front() == at) return at;
    at = at->leads.front();
  }
  return core::Failure{at ? NoRoot::LeadCycle : NoRoot::SelectedMissing};
}

bool MemberGraph::rules_itself(const PublicKey& selected) const {
  const Node* found = find(selected);
  return found && is_self_rooted(*found);
}

const MemberGraph::Resolved& MemberGraph::resolve(const Node& root) const {
  if (!is_fresh(root)) {
    ++computed_;
    root.resolved = Growth(*this, ++searches_).run(root);
    root.resolved->epoch = epoch_;
  }
  return *root.resolved;
}

const Authority& MemberGraph::authority(const PublicKey& selected) const {
  const auto found = root_of(find(selected));
  if (found) return resolve(**found).authority;
  static const auto kFailures = [] {
    std::map<NoRoot, Authority> all;
    for (const NoRoot why : kAllNoRoots) all[why].failure = why;
    return all;
  }();
  return kFailures.at(found.error());
}

bool MemberGraph::is_cut(const PublicKey& selected) const {
  const auto found = root_of(find(selected));
  return found && resolve(**found).is_cut;
}

// A root that lists the key has it at once, or wants it to list somebody back: the root will do.
// Only where no other member can have come before.
bool MemberGraph::admits_directly(const Node& by, const Node& key) const {
  if (!is_self_rooted(by) || by.listed.size() >= members_max_) return false;
  const auto lists = [](const Node& who, const Node& whom) {
    return whom.listers.contains({who.number, const_cast<Node*>(&who)});
  };
  if (!lists(by, key)) return false;
  const bool at_once = membership_ == Membership::Compatible && !by.has_roles;
  if (at_once) return !key.is_announced || key.is_active;
  return key.is_announced && key.is_active && lists(key, by);
}

bool MemberGraph::has(const Node& owner, const Node& key, Wants wants, Budget& budget) const {
  if (&owner == &key && is_self_rooted(owner)) return true;
  if (admits_directly(owner, key)) return true;
  const bool lists = owner.lists_in == key.met;
  if (wants == Wants::AnyRole && lists && is_self_rooted(owner)) return true;
  const auto root = root_of(&owner);
  if (!root) return false;
  if (!is_fresh(**root)) {
    if (budget == std::size_t{0}) budget.reset();
    if (!budget) return false;
    --*budget;
  }
  const std::uint64_t search = key.met;
  return std::ranges::any_of(resolve(**root).members, [&](const Node* member) {
    return member == &key || (wants == Wants::AnyRole && member->lists_in == search);
  });
}

// R4
bool MemberGraph::search(const PublicKey& key, const Visitor& visit) const {
  const Node* start = find(key);
  if (!start) return true;
  const std::uint64_t search = ++searches_;
  std::vector<const Node*> reached{start};
  start->met = search;
  for (const auto& [number, lister] : start->listers) lister->lists_in = search;
  std::size_t visited = 0;
  bool is_all = true;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const Node& owner = *reached[i];
    if (owner.hosts && !visit(owner, *start)) return true;
    for (const auto& [number, lister] : owner.listers) {
      is_all = ++visited <= kVisitedMax;
      if (!is_all) break;
      if (std::exchange(lister->met, search) != search) reached.push_back(lister);
    }
  }
  return is_all;
}

std::vector<PublicKey> MemberGraph::ruled_by(const PublicKey& key, bool* is_all) const {
  std::vector<PublicKey> owners;
  Budget budget = kComputedMax;
  const bool searched = search(key, [&](const Node& owner, const Node& member) {
    if (has(owner, member, Wants::Membership, budget)) owners.push_back(owner.key);
    return true;
  });
  if (is_all) *is_all = searched && budget.has_value();
  return owners;
}

bool MemberGraph::is_wanted(const PublicKey& key, const Question& is_meant) const {
  Budget budget = kComputedMax;
  bool found = false;
  search(key, [&](const Node& owner, const Node& wanted) {
    found = is_meant(owner.key) && has(owner, wanted, Wants::AnyRole, budget);
    return !found;
  });
  return found;
}

// Who hosts a view of its own wants its own list already; through others the change goes on.
std::vector<PublicKey> MemberGraph::concerned_by(const PublicKey& author) const {
  std::vector<PublicKey> keys;
  const Node* start = find(author);
  if (!start) return keys;
  const std::uint64_t search = ++searches_;
  std::vector<const Node*> reached{start};
  start->met = search;
  std::size_t visited = 0;
  const auto meet = [&](const Node* other) {
    if (std::exchange(other->met, search) != search) reached.push_back(other);
  };
  for (std::size_t i = 0; i < reached.size() && keys.size() < kConcernedMax; ++i) {
    const Node& at = *reached[i];
    keys.push_back(at.key);
    if (&at != start && at.hosts && is_self_rooted(at)) continue;
    for (const Node* key : at.listed) meet(key);
    for (const auto& [number, lister] : at.listers) {
      if (++visited > kVisitedMax) break;
      if (!(lister->hosts && is_self_rooted(*lister))) meet(lister);
    }
  }
  return keys;
}

}  // namespace graspd::grasp
