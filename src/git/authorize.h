// May these branches and tags be pushed? Only the signed state decides.
//
//   R1  A command whose result is already there is accepted, whatever its old oid: the state may
//       have been applied between advertisement and push. So is a push with only such commands.
//   R2  Otherwise the refs after the whole push must equal the declared ones, name for name and oid
//       for oid. The old oids do not matter then: the result is the declared one.
//   R3  A push is accepted or rejected as a whole. Each wrong ref gets its own reason; the others
//       are told what is wrong with the push.
//   R4  Without a ruling state, everything that would change something is rejected.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "git/push_request.h"
#include "git/ref_name.h"

namespace graspd::git {

// Heads and tags of the state that governs a repository.
struct Declared {
  Refs refs;
};

struct Apply {
  bool operator==(const Apply&) const = default;
};
struct AlreadyThere {
  bool operator==(const AlreadyThere&) const = default;
};
struct Refuse {
  std::string reason;
  bool operator==(const Refuse&) const = default;
};
using CommandVerdict = std::variant<Apply, AlreadyThere, Refuse>;

struct PushDecision {
  std::vector<CommandVerdict> verdicts;  // in the order of the commands

  bool accepted() const;
};

// `current` and `commands`: heads and tags only, each ref at most once.
PushDecision authorize_branches(const Refs& current, std::span<const Command> commands,
                                const std::optional<Declared>& governing,
                                const std::string& why_no_state);

}  // namespace graspd::git
