// Reads the event stores of ngit-grasp.
//
//   R1  The source is only read: no lock is taken and no file created. Its server must be stopped.
//   R2  Its pages are checked before they are followed; its values are untrusted.
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "lmdb/env.h"
#include "lmdb/refusals.h"

namespace graspd::lmdb {

class NgitStore {
 public:
  static core::Result<NgitStore, std::string> open(const std::string& directory);

  // FlatBuffers (app/import_ngit/flat_event.h), each of them one event, in the order of their ids.
  core::Result<core::Done, std::string> for_each(const std::function<void(Bytes)>& visit) const;

  // What 1.x remembers of deletions besides the requests.
  core::Result<Refusals, std::string> refusals() const;

 private:
  explicit NgitStore(std::unique_ptr<Env> env) : env_(std::move(env)) {}
  std::unique_ptr<Env> env_;
};

}  // namespace graspd::lmdb
