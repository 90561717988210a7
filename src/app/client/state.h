// graspd state: signs the commits that the branches and tags of a repository point to (NIP-34, kind
// 30618), which allows a push of them.
#pragma once
#include <string>
#include <vector>

#include "app/client/client_options.h"
#include "git/ref_name.h"

namespace graspd::app {

struct StateOptions {
  ClientOptions client;
  std::string identifier;
  std::string repository = ".";
  std::vector<std::string> branches;  // empty: all
  bool no_tags = false;
};

int publish_state(const StateOptions& options);

// The one push that leads to these refs. A server wants exactly them, tags too, in one go.
// `are_all`: they are all that the repository has.
std::string push_command(const std::string& url, const git::Refs& refs, bool are_all);

}  // namespace graspd::app
