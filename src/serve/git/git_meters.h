// What the git host counts, as plain numbers.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "serve/runtime/number.h"

namespace graspd::serve {

enum class GitOperation { Clone, Fetch, Push };
inline constexpr std::array<std::string_view, 3> kGitOperations{"clone", "fetch", "push"};

struct GitMeters {
  struct Operation {
    Number success, error;
  };
  std::array<Operation, 3> operations;
  Number bytes_in, bytes_out;
  Number pushes_allowed, pushes_denied;
  Number refused_busy;
  Number refused_strangers;   // by a private service
  Number refused_incomplete;  // fetches from repositories that have lost data
  std::function<void(GitOperation, double seconds)> took = [](GitOperation, double) {};

  // Bytes sent per repository, for the list of the busiest. Bounded: the least busy are forgotten.
  void sent(const std::string& repository, std::uint64_t bytes);
  std::vector<std::pair<std::string, std::uint64_t>> busiest(std::size_t count) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::uint64_t> by_repository_;
};

}  // namespace graspd::serve
