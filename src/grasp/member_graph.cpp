#include "grasp/member_graph.h"

#include <algorithm>
#include <map>

#include "grasp/number_map.h"

namespace graspd::grasp {

using nostr::PublicKey;

// The rules R2 and R3 of grasp/maintainers.h, over nodes.
class MemberGraph::Growth {
 public:
  explicit Growth(const MemberGraph& graph) : graph_(graph), max_(graph.members_max_) {}

  std::shared_ptr<const Resolved> run(Number root) {
    admit(root);
    // When it is cut, there are as many as there may be.
    for (std::size_t i = 0; i < members_.size() && !is_cut_; ++i) welcome(members_[i]);
    auto result = std::make_shared<Resolved>();
    result->authority.root = graph_.node(root).key;
    for (const Number member : members_) result->authority.members.insert(graph_.node(member).key);
    result->members = std::move(members_);
    result->is_cut = is_cut_;
    return result;
  }

 private:
  static constexpr std::size_t kNobody = 0;
  struct Mark {
    bool is_member = false, is_considered = false;
    std::size_t first = kNobody, last = kNobody;  // of those who wait for it to become a member
  };
  struct Waiting {
    Number key = 0;
    std::size_t next = kNobody;
  };

  bool is_member(Number key) const {
    const Mark* mark = marks_.find(key);
    return mark && mark->is_member;
  }
  void admit(Number key) {
    if (is_member(key)) return;
    if (members_.size() >= max_) {
      is_cut_ = true;
      return;
    }
    marks_[key].is_member = true;
    members_.push_back(key);
  }
  void welcome(Number key) {
    const Node& member = graph_.node(key);
    for (std::size_t at = marks_[key].first; at != kNobody; at = waiting_[at].next)
      admit(waiting_[at].key);
    const bool at_once = graph_.membership_ == Membership::Compatible && !member.has_roles;
    if (!member.lists) return;
    for (const Number listed : member.lists->listed) {
      if (is_member(listed)) continue;
      if (!at_once)
        consider(listed);
      else if (const Node& node = graph_.node(listed); !node.is_announced || node.is_active)
        admit(listed);
    }
  }
  void consider(Number key) {
    if (std::exchange(marks_[key].is_considered, true)) return;
    const Node& node = graph_.node(key);
    if (!node.is_announced || !node.is_active) return;
    const auto& listed = node.lists->listed;
    if (std::ranges::any_of(listed, [&](Number other) { return is_member(other); }))
      return admit(key);
    for (const Number other : listed) {
      waiting_.push_back({key, kNobody});
      Mark& mark = marks_[other];
      (mark.first == kNobody ? mark.first : waiting_[mark.last].next) = waiting_.size() - 1;
      mark.last = waiting_.size() - 1;
    }
  }

  const MemberGraph& graph_;
  const std::size_t max_;
  NumberMap<Mark> marks_;
  std::vector<Waiting> waiting_{Waiting{}};  // the first is nobody
  std::vector<Number> members_;              // in order; those not yet welcomed come last
  bool is_cut_ = false;
};

// One question about all repositories: whom it is about, and who lists that key.
struct MemberGraph::Search {
  Search(Number with_key, const Node& with_node) : key(with_key), node(with_node) {}
  bool is_listed_by(Number who) const {
    if (node.listers.size() <= kFew) return node.listers.contains(who);
    if (!is_counted)
      for (const Number lister : node.listers) listers[lister] = true;
    is_counted = true;
    return listers.find(who) != nullptr;
  }

  static constexpr std::size_t kFew = 8;  // that are found as soon without a table
  const Number key;
  const Node& node;
  mutable NumberMap<bool> listers;  // of this question, so of one thread
  mutable bool is_counted = false;
};

MemberGraph::MemberGraph(Membership membership, std::size_t members_max)
    : membership_(membership),
      members_max_(members_max),
      memo_(std::make_shared<ResolvedMemo>(0)) {}

MemberGraph::Number MemberGraph::number_of(const PublicKey& key) {
  if (const Number* known = numbers_.find(key)) return *known;
  Node fresh;
  fresh.key = key;
  nodes_.insert_or_assign(next_number_, std::move(fresh));
  numbers_.insert_or_assign(key, next_number_);
  return next_number_++;
}

void MemberGraph::drop_if_unused(Number number) {
  const Node& unused = node(number);
  if (unused.is_announced || !unused.listers.empty()) return;
  numbers_.erase(unused.key);
  nodes_.erase(number);
}

void MemberGraph::list(Number from, Number to) {
  if (!node(to).listers.contains(from)) nodes_.find_to_change(to)->listers.insert(from);
}

void MemberGraph::unlist(Number from, Number to) {
  nodes_.find_to_change(to)->listers.erase(from);
  drop_if_unused(to);
}

void MemberGraph::put(const PublicKey& author, const Roles& roles, bool hosts) {
  const Number own = number_of(author);
  auto lists = std::make_shared<Lists>();
  for (const PublicKey& key : roles.listed) {
    lists->listed.push_back(number_of(key));
    list(own, lists->listed.back());
  }
  for (const PublicKey& lead : roles.active_leads)
    if (lead == author || roles.listed.contains(lead)) lists->leads.push_back(number_of(lead));
  const auto before = node(own).lists;
  announced_ += node(own).is_announced ? 0 : 1;
  Node& changed = *nodes_.find_to_change(own);
  changed.lists = lists;
  changed.is_announced = true;
  changed.is_active = roles.author_active;
  changed.has_roles = roles.role_format;
  changed.hosts = hosts;
  // Those it no longer lists; those it still lists stay.
  NumberMap<bool> still;
  for (const Number number : lists->listed) still[number] = true;
  if (before)
    for (const Number number : before->listed)
      if (!still.find(number)) unlist(own, number);
  forget_dependents(own);
}

void MemberGraph::erase(const PublicKey& author) {
  const Number* own = numbers_.find(author);
  if (!own || !node(*own).is_announced) return;
  const Number number = *own;
  forget_dependents(number);
  --announced_;
  Node& changed = *nodes_.find_to_change(number);
  const auto before = std::exchange(changed.lists, nullptr);
  changed.is_announced = changed.has_roles = changed.hosts = false;
  changed.is_active = true;
  for (const Number listed : before->listed) unlist(number, listed);
  drop_if_unused(number);
}

// Others may still add to the memo of what was.
void MemberGraph::take_over_memo() {
  memo_->each([&](Number root, const auto& one) { resolved_.insert_or_assign(root, one); });
  computed_ += memo_->size();
  memo_ = std::make_shared<ResolvedMemo>(announced_);
}

// R2
void MemberGraph::forget_dependents(Number changed) {
  take_over_memo();
  NumberMap<bool> seen;
  std::vector<Number> reached{changed};
  seen[changed] = true;
  std::size_t visited = 0;
  for (std::size_t i = 0; i < reached.size() && !resolved_.empty(); ++i) {
    resolved_.erase(reached[i]);
    for (const Number lister : node(reached[i]).listers) {
      if (++visited > kForgottenMax) return resolved_.clear();
      if (!std::exchange(seen[lister], true)) reached.push_back(lister);
    }
  }
}

bool MemberGraph::is_self_rooted(Number number, const Node& node) const {
  if (!node.is_announced) return false;
  const auto& leads = node.lists->leads;
  if (leads.empty()) return node.is_active;
  return leads.size() == 1 && leads.front() == number;
}

// R1 of grasp/maintainers.h
core::Result<MemberGraph::Number, NoRoot> MemberGraph::root_of(Number selected) const {
  NumberMap<bool> seen;
  for (Number at = selected;;) {
    const Node& found = node(at);
    const bool followed = at != selected;
    if (!found.is_announced)
      return core::Failure{followed ? NoRoot::LeadMissing : NoRoot::SelectedMissing};
    const auto& leads = found.lists->leads;
    if (leads.size() > 1) return core::Failure{NoRoot::AmbiguousLeads};
    if (leads.empty()) {
      if (followed) return core::Failure{NoRoot::LeadDoesNotNameItself};
      if (!found.is_active) return core::Failure{NoRoot::AuthorInactive};
      return at;
    }
    if (leads.front() == at) return at;
    if (std::exchange(seen[at], true)) return core::Failure{NoRoot::LeadCycle};
    at = leads.front();
  }
}

core::Result<MemberGraph::Number, NoRoot> MemberGraph::root_of(const PublicKey& selected) const {
  const Number* number = numbers_.find(selected);
  if (!number) return core::Failure{NoRoot::SelectedMissing};
  return root_of(*number);
}

bool MemberGraph::rules_itself(const PublicKey& selected) const {
  const Number* number = numbers_.find(selected);
  return number && is_self_rooted(*number, node(*number));
}

const MemberGraph::Resolved* MemberGraph::resolved(Number root) const {
  if (const auto* known = resolved_.find(root)) return known->get();
  return memo_->find(root);
}

const MemberGraph::Resolved& MemberGraph::resolve(Number root) const {
  if (const Resolved* known = resolved(root)) return *known;
  return memo_->put(root, Growth(*this).run(root));
}

std::size_t MemberGraph::computed() const { return computed_ + memo_->size(); }

const Authority& MemberGraph::authority(const PublicKey& selected) const {
  const auto found = root_of(selected);
  if (found) return resolve(*found).authority;
  static const auto kFailures = [] {
    std::map<NoRoot, Authority> all;
    for (const NoRoot why : kAllNoRoots) all[why].failure = why;
    return all;
  }();
  return kFailures.at(found.error());
}

bool MemberGraph::is_cut(const PublicKey& selected) const {
  const auto found = root_of(selected);
  return found && resolve(*found).is_cut;
}

// A root that lists the key has it at once, or wants it to list somebody back: the root will do.
// Only where no other member can have come before.
bool MemberGraph::admits_directly(Number by, const Node& owner, const Search& search) const {
  if (!is_self_rooted(by, owner) || owner.lists->listed.size() >= members_max_) return false;
  if (!search.is_listed_by(by)) return false;
  const Node& key = search.node;
  const bool at_once = membership_ == Membership::Compatible && !owner.has_roles;
  if (at_once) return !key.is_announced || key.is_active;
  return key.is_announced && key.is_active && owner.listers.contains(search.key);
}

bool MemberGraph::has(Number owner, const Search& search, Wants wants, Budget& budget) const {
  const Node& found = node(owner);
  const bool rules = is_self_rooted(owner, found);
  if (rules && owner == search.key) return true;
  if (rules && admits_directly(owner, found, search)) return true;
  if (rules && wants == Wants::AnyRole && search.is_listed_by(owner)) return true;
  const auto root = root_of(owner);
  if (!root) return false;
  if (!resolved(*root)) {
    if (budget == std::size_t{0}) budget.reset();
    if (!budget) return false;
    --*budget;
  }
  return std::ranges::any_of(resolve(*root).members, [&](Number member) {
    return member == search.key || (wants == Wants::AnyRole && search.is_listed_by(member));
  });
}

// R4
bool MemberGraph::search(const PublicKey& key, const Visitor& visit) const {
  const Number* start = numbers_.find(key);
  if (!start) return true;
  const Search search(*start, node(*start));
  NumberMap<bool> met;
  std::vector<Number> reached{*start};
  met[*start] = true;
  std::size_t visited = 0;
  bool is_all = true;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const Node& owner = node(reached[i]);
    if (owner.hosts && !visit(reached[i], search)) return true;
    for (const Number lister : owner.listers) {
      is_all = ++visited <= kVisitedMax;
      if (!is_all) break;
      if (!std::exchange(met[lister], true)) reached.push_back(lister);
    }
  }
  return is_all;
}

std::vector<PublicKey> MemberGraph::ruled_by(const PublicKey& key, bool* is_all) const {
  std::vector<PublicKey> owners;
  Budget budget = kComputedMax;
  const bool searched = search(key, [&](Number owner, const Search& search) {
    if (has(owner, search, Wants::Membership, budget)) owners.push_back(node(owner).key);
    return true;
  });
  if (is_all) *is_all = searched && budget.has_value();
  return owners;
}

bool MemberGraph::is_wanted(const PublicKey& key, const Question& is_meant) const {
  Budget budget = kComputedMax;
  bool found = false;
  search(key, [&](Number owner, const Search& search) {
    found = is_meant(node(owner).key) && has(owner, search, Wants::AnyRole, budget);
    return !found;
  });
  return found;
}

// Who hosts a repository of its own wants its own list already; through others the change goes on.
std::vector<PublicKey> MemberGraph::concerned_by(const PublicKey& author) const {
  std::vector<PublicKey> keys;
  const Number* start = numbers_.find(author);
  if (!start) return keys;
  NumberMap<bool> met;
  std::vector<Number> reached{*start};
  met[*start] = true;
  std::size_t visited = 0;
  const auto meet = [&](Number other) {
    if (!std::exchange(met[other], true)) reached.push_back(other);
  };
  const auto wants_its_own = [&](Number number, const Node& one) {
    return one.hosts && is_self_rooted(number, one);
  };
  for (std::size_t i = 0; i < reached.size() && keys.size() < kConcernedMax; ++i) {
    const Node& at = node(reached[i]);
    keys.push_back(at.key);
    if (reached[i] != *start && wants_its_own(reached[i], at)) continue;
    if (at.lists)
      for (const Number key : at.lists->listed) meet(key);
    for (const Number lister : at.listers) {
      if (++visited > kVisitedMax) break;
      if (!wants_its_own(lister, node(lister))) meet(lister);
    }
  }
  return keys;
}

}  // namespace graspd::grasp
