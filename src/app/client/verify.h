// graspd verify: is the git data of the repositories what their newest states declare?
//
//   R1  A running server does the work: it verifies at once, object by object, repairs what it can
//       and remembers the results. If no server answers, the command reads the database and the git
//       folder itself and changes nothing.
//   R2  One line for each repository as soon as its result is known, then a summary line.
#pragma once
#include <string>

#include "app/config/settings.h"

namespace graspd::app {

struct VerifyOptions {
  std::string repository;  // npub1…/identifier, or as parse_repository reads it; empty: all
  std::string url;         // of a running server; empty: the one of this configuration
};

// 0: all is well; 1: something is missing; 2: it could not be looked up.
int verify_repositories(const Settings& settings, const VerifyOptions& options);

}  // namespace graspd::app
