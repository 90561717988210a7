// Who lists whom in the announcements of one identifier, and the authority that follows from it
// (grasp/maintainers.h), kept up to date announcement by announcement.
//
//   R1  The authority of a repository is that of its root: all repositories that follow one lead
//       share it. It is computed when asked for and kept until an announcement changes that it can
//       depend on.
//   R2  A change costs what can reach the changed announcement by lists, at most kForgottenMax
//       steps: beyond that everything is computed anew when it is asked for.
//   R3  Nothing is kept per repository but its members, at most `members_max` of them.
//   R4  Questions about all repositories go from the key in question to those who list it, nearest
//       first and oldest announcements first. They visit at most kVisitedMax lists and compute at
//       most kComputedMax authorities anew: who needs more is as good as not asked. What a lister
//       says by itself needs no computation.
//   R5  It is a value: a copy costs nothing and shares what is the same, also the authorities that
//       are computed later. Several threads may ask one graph, and copies of it, at the same time.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/persistent_map.h"
#include "core/persistent_set.h"
#include "core/result.h"
#include "grasp/maintainers.h"
#include "grasp/memo.h"

namespace graspd::grasp {

class MemberGraph {
 public:
  // Each step is a look at memory that nobody has touched lately: some tens of nanoseconds.
  static constexpr std::size_t kForgottenMax = 1'024, kVisitedMax = 4'096;
  // Each up to some hundred microseconds.
  static constexpr std::size_t kComputedMax = 8;
  // Keys that one change may concern; a person's list and those of some guests.
  static constexpr std::size_t kConcernedMax = 512;

  MemberGraph(Membership membership, std::size_t members_max);

  // The newest announcement of an author; `hosts`: it has a repository here.
  void put(const nostr::PublicKey& author, const Roles& roles, bool hosts);
  void erase(const nostr::PublicKey& author);

  // Without those who are invited. Valid until the graph changes.
  const Authority& authority(const nostr::PublicKey& selected) const;
  bool rules_itself(const nostr::PublicKey& selected) const;  // it is its own root
  // There are more than `members_max`, and the last of them do not count.
  bool is_cut(const nostr::PublicKey& selected) const;

  // R4. Owners of repositories that have the key as a member; is there one that has it, or that has
  // a member who lists it?
  using Question = std::function<bool(const nostr::PublicKey& owner)>;
  std::vector<nostr::PublicKey> ruled_by(const nostr::PublicKey& key, bool* is_all = nullptr) const;
  // One of those that are meant suffices.
  bool is_wanted(const nostr::PublicKey& key, const Question& is_meant) const;
  // Keys that repositories may have come to want since the announcement of this author changed.
  std::vector<nostr::PublicKey> concerned_by(const nostr::PublicKey& author) const;

  std::size_t computed() const;  // authorities, ever

 private:
  // Of a key, in the order in which they were first named; never used again.
  using Number = std::uint64_t;
  struct Lists {
    std::vector<Number> listed;  // in the order of their keys
    std::vector<Number> leads;
  };
  struct Node {
    nostr::PublicKey key;
    bool is_announced = false, is_active = true, has_roles = false, hosts = false;
    std::shared_ptr<const Lists> lists;
    core::PersistentSet<Number> listers;  // the oldest first
  };
  struct Resolved {
    Authority authority;
    std::vector<Number> members;  // the same
    bool is_cut = false;
  };
  using ResolvedMemo = Memo<Resolved>;
  class Growth;
  struct Search;
  enum class Wants { Membership, AnyRole };

  Number number_of(const nostr::PublicKey& key);
  const Node& node(Number number) const { return nodes_.at(number); }
  void list(Number from, Number to);
  void unlist(Number from, Number to);
  void drop_if_unused(Number number);
  void forget_dependents(Number changed);
  void take_over_memo();

  bool is_self_rooted(Number number, const Node& node) const;
  core::Result<Number, NoRoot> root_of(Number selected) const;
  core::Result<Number, NoRoot> root_of(const nostr::PublicKey& selected) const;
  const Resolved& resolve(Number root) const;
  const Resolved* resolved(Number root) const;  // if it is known
  bool admits_directly(Number by, const Node& owner, const Search& search) const;
  // Counted down with each authority that is computed; nothing: it was needed and not there.
  using Budget = std::optional<std::size_t>;
  bool has(Number owner, const Search& search, Wants wants, Budget& budget) const;
  // Owners of repositories whose members may include it or list it; until `visit` says that it is
  // enough.
  using Visitor = std::function<bool(Number owner, const Search& search)>;
  // False when there were more lists than it visits.
  bool search(const nostr::PublicKey& key, const Visitor& visit) const;

  Membership membership_;
  std::size_t members_max_;
  core::PersistentMap<nostr::PublicKey, Number> numbers_;
  core::PersistentMap<Number, Node> nodes_;
  Number next_number_ = 1;
  // By root. What has been computed since the last change is in the memo.
  core::PersistentMap<Number, std::shared_ptr<const Resolved>> resolved_;
  std::shared_ptr<ResolvedMemo> memo_;
  std::size_t announced_ = 0;
  std::size_t computed_ = 0;  // before the memo
};

}  // namespace graspd::grasp
