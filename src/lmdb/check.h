// Is everything in the database as it should be?
//
//   R1  Every event lies under its id, its address, its expiration and in every index it belongs
//       to; and there is nothing more in those.
//   R2  What is kept apart for filters says what the JSON says, and the id is that of the content.
//   R3  Signatures are checked on request: that takes long.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace graspd::lmdb {

struct CheckOptions {
  bool signatures = false;
};

struct CheckReport {
  std::uint64_t events = 0;
  std::uint64_t problems = 0;
  std::vector<std::string> first_problems;  // as many as a person reads
};

}  // namespace graspd::lmdb
