// graspd verify: is the git data of the repositories what their newest states declare?
//
//   R1  A running server is asked: it looks at once, object by object, repairs what it can and
//       remembers what it found. Without one that answers, the database and the folder of git data
//       are read here; nothing is changed then.
//   R2  One line for each repository as soon as it is known, then one that sums up.
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
