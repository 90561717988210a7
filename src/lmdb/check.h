// Checks the integrity of the database.
//
//   R1  Every event is listed under its id, its address, its expiration and in every index it
//       belongs to, and these contain nothing else.
//   R2  The fields kept for filters equal those in the JSON, and the id is that of the content.
//   R3  Signatures are checked only on request, because that takes long.
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
