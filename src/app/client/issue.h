// graspd issue: opens an issue (NIP-34, kind 1621).
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/client/client_options.h"

namespace graspd::app {

struct IssueOptions {
  ClientOptions client;
  std::string repository;  // as parse_repository reads it
  std::string subject;
  std::optional<std::string> text;  // nullopt: standard input, unless that is a terminal
  std::vector<std::string> labels;
};

int open_issue(const IssueOptions& options);

}  // namespace graspd::app
