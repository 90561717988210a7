// Who lists whom in the announcements of one identifier, and the authority that follows from it
// (grasp/maintainers.h), kept up to date announcement by announcement.
//
//   R1  The authority of a view is that of its root: all views that follow one lead share it. It is
//       computed when asked for and kept until an announcement changes that it can depend on.
//   R2  A change costs what can reach the changed announcement by lists, at most kForgottenMax
//       steps: beyond that everything is computed anew when it is asked for.
//   R3  Nothing is kept per view but its members, at most `members_max` of them.
//   R4  Questions about all views go from the key in question to those who list it, nearest first
//       and oldest announcements first. They visit at most kVisitedMax lists and compute at most
//       kComputedMax authorities anew: who needs more is as good as not asked. What a lister says
//       by itself needs no computation.
//
// One caller at a time, for questions too.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/result.h"
#include "grasp/maintainers.h"

namespace graspd::grasp {

class MemberGraph {
 public:
  // Each step is a look at memory that nobody has touched lately: some tens of nanoseconds.
  static constexpr std::size_t kForgottenMax = 1'024, kVisitedMax = 4'096;
  // Each up to some hundred microseconds.
  static constexpr std::size_t kComputedMax = 8;
  // Keys that one change may concern; a person's list and those of some guests.
  static constexpr std::size_t kConcernedMax = 512;

  MemberGraph(Membership membership, std::size_t members_max)
      : membership_(membership), members_max_(members_max) {}
  MemberGraph(const MemberGraph&) = delete;
  MemberGraph& operator=(const MemberGraph&) = delete;

  // The newest announcement of an author; `hosts`: it has a view here.
  void put(const nostr::PublicKey& author, const Roles& roles, bool hosts);
  void erase(const nostr::PublicKey& author);

  // Without those who are invited.
  const Authority& authority(const nostr::PublicKey& selected) const;
  bool rules_itself(const nostr::PublicKey& selected) const;  // it is its own root
  // There are more than `members_max`, and the last of them do not count.
  bool is_cut(const nostr::PublicKey& selected) const;

  // R4. Owners of views that have the key as a member; is there one that has it, or that has a
  // member who lists it?
  using Question = std::function<bool(const nostr::PublicKey& owner)>;
  std::vector<nostr::PublicKey> ruled_by(const nostr::PublicKey& key, bool* is_all = nullptr) const;
  // One of those that are meant suffices.
  bool is_wanted(const nostr::PublicKey& key, const Question& is_meant) const;
  // Keys that views may have come to want since the announcement of this author changed.
  std::vector<nostr::PublicKey> concerned_by(const nostr::PublicKey& author) const;

  std::size_t computed() const { return computed_; }  // authorities, ever

 private:
  struct Node;
  using Lister = std::pair<std::uint64_t, Node*>;  // oldest first
  struct Resolved {
    Authority authority;
    std::vector<const Node*> members;  // the same
    bool is_cut = false;
    std::uint64_t epoch = 0;
  };
  struct Node {
    nostr::PublicKey key;
    std::uint64_t number = 0;
    bool is_announced = false, is_active = true, has_roles = false, hosts = false;
    std::vector<Node*> listed;  // in the order of their keys
    std::vector<Node*> leads;
    std::set<Lister> listers;
    mutable std::optional<Resolved> resolved;  // of this key as a root
    mutable std::uint64_t seen = 0, met = 0;   // by the walk, the search of this number
    mutable std::uint64_t lists_in = 0;        // it lists the key of the search of this number
    mutable std::uint64_t member_in = 0, considered_in = 0, waited_for_in = 0;
    mutable std::vector<const Node*> waiting;  // for this one to become a member
  };
  class Growth;
  enum class Wants { Membership, AnyRole };

  Node& node(const nostr::PublicKey& key);
  const Node* find(const nostr::PublicKey& key) const;
  void unlist(Node& from);
  void drop_if_unused(Node& node);
  void forget_dependents(const Node& changed);
  bool is_self_rooted(const Node& node) const;
  core::Result<const Node*, NoRoot> root_of(const Node* selected) const;
  const Resolved& resolve(const Node& root) const;
  bool is_fresh(const Node& root) const { return root.resolved && root.resolved->epoch == epoch_; }
  bool admits_directly(const Node& by, const Node& key) const;
  // Counted down with each authority that is computed; nothing: it was needed and not there.
  using Budget = std::optional<std::size_t>;
  bool has(const Node& owner, const Node& key, Wants wants, Budget& budget) const;
  // Owners of views whose members may include it or list it; until `visit` says that it is enough.
  using Visitor = std::function<bool(const Node& owner, const Node& key)>;
  // False when there were more lists than it visits.
  bool search(const nostr::PublicKey& key, const Visitor& visit) const;

  const Membership membership_;
  const std::size_t members_max_;
  std::map<nostr::PublicKey, Node> nodes_;
  std::uint64_t next_number_ = 1;
  std::uint64_t epoch_ = 1;  // what was computed in an earlier one is no longer sure
  mutable std::uint64_t searches_ = 0;
  mutable std::size_t computed_ = 0;
};

}  // namespace graspd::grasp
