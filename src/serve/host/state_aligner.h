// Brings branches, tags and HEAD of hosted repositories in line with the states that rule them.
// Rule numbers are those of serve/host/ref_aligner.h.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "serve/host/alignment_context.h"

namespace graspd::serve {

class StateAligner {
 public:
  explicit StateAligner(AlignmentContext& context) : context_(context) {}

  // Of the repositories that are asked for. What need not wait any longer is then among the
  // released.
  void align();

 private:
  struct Repo {
    grasp::Coordinate coordinate;
    bool waiting = false;  // its announcement
    std::optional<grasp::Ruling> ruling;
  };
  struct Group {  // repositories ruled by one state
    grasp::RepoState state;
    bool waiting = false;
    std::vector<Repo> repos;
  };

  struct Superseded {  // a waiting state that does not rule
    nostr::WireEventPtr event;
    std::vector<git::Oid> tips;
    std::vector<grasp::Coordinate> repos;  // that it might have ruled
    bool is_here = false;
  };

  std::vector<Repo> repos() const;
  std::vector<Group> groups(const std::vector<Repo>& repos) const;
  void align(const Group& group);
  std::optional<grasp::Coordinate> holder_of(const Group& group);
  bool adopt_uploads(const grasp::Coordinate& repo, const git::Refs& refs);
  bool adopt(const grasp::Upload& upload, const std::vector<git::Oid>& wanted);
  void clear_unsigned(const grasp::Coordinate& repo);
  std::vector<grasp::Coordinate> other_holders(const Group& group) const;
  bool bring(const grasp::Coordinate& from, const grasp::Coordinate& to,
             const std::vector<git::Oid>& tips);
  bool has_all(const grasp::Coordinate& repo, const git::Refs& refs) const;
  bool has_whole(const grasp::Coordinate& repo, const git::Refs& refs) const;
  bool is_whole(const grasp::Coordinate& repo, std::vector<git::Oid> tips) const;
  bool align(const grasp::Coordinate& repo, const grasp::RepoState& state);
  bool still_rules(const grasp::RepoState& state, const grasp::Coordinate& repo) const;
  void release_superseded_states();
  std::vector<Superseded> superseded_states() const;

  AlignmentContext& context_;
};

}  // namespace graspd::serve
