// What the parts of one alignment share (ref_aligner.h; the rules are there).
#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "git/align.h"
#include "serve/host/alignment_scope.h"
#include "serve/host/hosting.h"

namespace graspd::serve {

// What a push or a fetch has brought into a repository: git has looked at its history.
struct ProvenTips {
  std::optional<grasp::Coordinate> repo;
  std::set<git::Oid> tips;
};

struct AlignmentResult {
  bool unfinished = false;              // there is more in the group than was asked for
  bool failed = false;                  // something could not be written: run again later
  std::set<grasp::Coordinate> not_set;  // repositories whose refs git could not move
  // For later: these, and all that this author rules.
  std::vector<grasp::Coordinate> repos_left;
  std::optional<nostr::PublicKey> author_left;
  std::vector<PullScope> pulls_left;
};

struct AlignmentContext {
  Hosting& hosting;
  const grasp::Identifier identifier;
  AlignmentScope scope = {};
  ProvenTips proven = {};
  AlignmentResult result = {};
  bool has_news = false;  // something is here that pull requests may have waited for
  std::vector<nostr::WireEventPtr> released = {};  // to be stored
  std::vector<std::string> used_uploads = {};      // tokens; they need not be kept any longer

  bool is_asked_for(const grasp::Coordinate& repo) const;
  // Copies the history of `tips`. `from` is a key: it may be a PR repository.
  bool copy(const std::string& from, const grasp::Coordinate& to,
            const std::vector<git::Oid>& tips);
  // Sets all of it or nothing; what could not be set is tried again.
  bool apply(const grasp::Coordinate& repo, const git::RefTransaction& transaction);
};

}  // namespace graspd::serve
