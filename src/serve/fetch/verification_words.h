// Describes what is wrong with a repository, for its page and the log.
//
//   R1  One line: the first problem in full, and the number of others.
//   R2  Unsigned names may hold any bytes: characters that are not plain ASCII become "?".
#pragma once
#include <string>

#include "gitio/verify.h"
#include "grasp/policy.h"

namespace graspd::serve {

std::string describe(const gitio::Problem& problem);
std::string describe(const gitio::Verification& verification);  // empty when all is well

// Why a repository is not synced; empty: it is. `is_moved`: its refs are not as declared.
std::string why_behind(const grasp::Ruling& ruling, bool is_moved);

// Are branches and tags, and HEAD, as they should be?
bool has_wrong_refs(const gitio::Verification& verification);
bool has_lost_objects(const gitio::Verification& verification);

}  // namespace graspd::serve
