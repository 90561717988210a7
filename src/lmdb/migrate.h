// The format of the tables has a number, and there is an upgrade from each number to the next.
//
//   R1  A new file gets the current number.
//   R2  An older file is upgraded step by step, in the transaction that opens it: all or nothing.
//   R3  A file with a newer format, or one that is not ours, is refused and left unchanged.
#pragma once
#include <functional>
#include <string>

#include "core/result.h"
#include "lmdb/env.h"

namespace graspd::lmdb {

struct Upgrade {
  std::uint64_t from;  // leads to the next number
  std::function<void(Txn&)> run;
};
struct Format {
  std::uint64_t number;
  std::vector<Upgrade> upgrades;
};
const Format& current_format();

core::Result<core::Done, std::string> bring_up_to_date(Txn& txn, const Format& format);
// For those who may not write: only the current number will do.
core::Result<core::Done, std::string> expect_current(Txn& txn, const Format& format);

}  // namespace graspd::lmdb
