// Brings the repositories of one identifier in line with what is signed, and releases the events
// that waited for it. The only place where refs of a view are moved.
//
//   R1  A view follows the newest state with authority over it once all objects the state names are
//       in that view. What another view has counts only when the same state rules both: then the
//       history is copied there. Naming somebody's object does not get it served.
//       Whatever objects lie in a view, a ref is set only to a history that is whole: packs may
//       hold more than they are for, and come from anybody.
//   R2  Refs and HEAD first, then the events: the announcement, the state, the pull requests. Who
//       sees the event finds the data.
//   R3  A waiting state that does not rule (a newer one does) is released when its data is here,
//       and moves nothing.
//   R4  A pull request is released when its commit is in one of the views it concerns, or lies in
//       quarantine for it; refs/nostr/<id> then appears in all of them. What lies in a PR
//       repository (pr_repositories.h) for it counts too, and is copied into the views. Objects go
//       only between views that have a maintainer in common.
//   R5  Strangers may point their announcements at somebody and so have their views ruled by
//       others' states. What they are to get is copied when nobody waits (alignment_scope.h).
//   R6  A branch is a commit. A state that declares it elsewhere only waits.
//   R7  Views are locked one by one, briefly, and what is copied from one does not hold up pushes
//       into it. Several alignments may be about the same views: each view is moved only to the
//       state that rules it while its lock is held.
//   R8  Pull requests are looked at together. What one more of them costs does not grow with those
//       that wait or have a ref already: refs are found by their name, and set in few
//       transactions. Between two of these the lock of the view is free.
//   R9  Of the pull requests that merely wait, whoever waits for an answer waits for at most
//       kPullsAtOnce, however many there are and however many come meanwhile; who sent a state
//       waits for none that it can do nothing for. The rest follow when there is time.
//   R10 What follows when there is time is no more than may have changed: after a state, the views
//       that its author rules.
#pragma once
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "serve/host/alignment_scope.h"
#include "serve/host/hosting.h"

namespace graspd::serve {

class RefAligner {
 public:
  RefAligner(Hosting& hosting, grasp::Identifier identifier)
      : hosting_(hosting), identifier_(std::move(identifier)) {}

  // Waiting pull requests that are looked at for whoever waits, beside those that are asked for.
  static constexpr std::size_t kPullsAtOnce = 16;

  struct Result {
    bool unfinished = false;              // there is more in the group than was asked for
    bool failed = false;                  // something could not be written: run again later
    std::set<grasp::Coordinate> not_set;  // views whose refs git could not move
    // For later: these, and all that this author rules.
    std::vector<grasp::Coordinate> views_left;
    std::optional<nostr::PublicKey> author_left;
    std::vector<PullScope> pulls_left;
    grasp::Transition changes;  // that followed
  };
  // What a push or a fetch has brought into a view: git has looked at its history.
  struct Proven {
    std::optional<grasp::Coordinate> view;
    std::set<git::Oid> tips;
  };
  // Blocks: for worker threads.
  Result run(AlignmentScope scope, Proven proven = {});

 private:
  struct View {
    grasp::Coordinate coordinate;
    bool waiting = false;  // its announcement
    std::optional<grasp::Ruling> ruling;
  };
  struct Group {  // views ruled by one state
    grasp::RepoState state;
    bool waiting = false;
    std::vector<View> views;
  };

  std::vector<View> views() const;
  std::vector<Group> groups(const std::vector<View>& views);
  void align(const Group& group);
  std::optional<grasp::Coordinate> holder_of(const Group& group) const;
  bool bring(const grasp::Coordinate& from, const grasp::Coordinate& to,
             const std::vector<git::Oid>& tips);
  bool has_all(const grasp::Coordinate& view, const git::Refs& refs) const;
  bool has_whole(const grasp::Coordinate& view, const git::Refs& refs) const;
  bool is_whole(const grasp::Coordinate& view, std::vector<git::Oid> tips) const;
  // `from` is a key: it may be a pr_repository.
  bool copy(const std::string& from, const grasp::Coordinate& to,
            const std::vector<git::Oid>& tips);
  bool align(const grasp::Coordinate& view, const grasp::RepoState& state);
  bool apply(const grasp::Coordinate& view, const git::RefTransaction& transaction);
  bool still_rules(const grasp::RepoState& state, const grasp::Coordinate& view) const;
  struct Superseded {  // a waiting state that does not rule
    nostr::WireEventPtr event;
    std::vector<git::Oid> tips;
    std::vector<grasp::Coordinate> views;  // that it might have ruled
    bool is_here = false;
  };
  void release_superseded_states();
  std::vector<Superseded> superseded_states() const;
  bool is_asked_for(const grasp::Coordinate& view) const;
  void look_for_more();
  // A pull request that is looked at, and the views it gets to now.
  struct DuePull {
    grasp::PullRequest pull;
    std::vector<grasp::Coordinate> views;
    bool is_apart = false;  // something lies in quarantine or in a PR repository for it
    std::vector<grasp::Coordinate> all_views = {};  // then
    std::optional<PullScope> left = {};             // for later
    std::optional<grasp::Coordinate> holder = {};   // the view that has its commit
    bool is_visible = false;
  };
  std::vector<PullScope> asked_pulls();
  std::vector<DuePull> due_pulls(const std::vector<PullScope>& pulls) const;
  void align_pulls();
  void bring_apart(DuePull& one);
  void align_alike(const std::vector<grasp::Coordinate>& views, const std::vector<DuePull*>& pulls);
  void find_holders(const std::vector<grasp::Coordinate>& views,
                    const std::vector<DuePull*>& pulls) const;
  std::vector<DuePull*> brought(const grasp::Coordinate& holder, const grasp::Coordinate& view,
                                std::vector<DuePull*> pulls);
  bool has_space_for(const grasp::Coordinate& view, const grasp::PullRequest& pull,
                     std::uint64_t bytes) const;
  std::set<git::Oid> whole_in(const grasp::Coordinate& view,
                              const std::vector<DuePull*>& pulls) const;
  std::vector<grasp::Coordinate> first_of(const PullViews& all) const;
  static std::vector<grasp::Coordinate> slice_of(const PullViews& all, std::size_t from);
  bool align_pr_repositories(const DuePull& one);
  void take_pr_repository_uploads(const grasp::PullRequest& pull,
                                  const std::vector<grasp::Coordinate>& pr_repositories);
  std::optional<grasp::Coordinate> take_upload(const grasp::PullRequest& pull,
                                               const std::vector<grasp::Coordinate>& views);
  bool share_authority(const grasp::Coordinate& a, const grasp::Coordinate& b) const;
  void set_pull_refs(const grasp::Coordinate& view, const std::vector<DuePull*>& pulls);
  void set_some_pull_refs(const grasp::Coordinate& view, std::span<DuePull* const> pulls);
  std::vector<std::size_t> apply_most(const grasp::Coordinate& view,
                                      std::span<const git::RefUpdate> updates);
  bool release();  // what was collected; false when there was nothing, or it failed

  Hosting& hosting_;
  const grasp::Identifier identifier_;
  AlignmentScope scope_;
  Proven proven_;
  Result result_;
  std::size_t refusals_ = 0;  // of git, to set refs of pull requests
  bool has_news_ = false;     // something is here that pull requests may have waited for
  bool has_asked_ = false;    // for those that wait: once (R9)
  std::vector<nostr::WireEventPtr> released_;
  grasp::Transition changes_;
};

}  // namespace graspd::serve
