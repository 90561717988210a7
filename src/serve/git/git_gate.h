// Nobody is given an empty repository for one whose data is lost.
//
//   R1  A fetch from a repository that lacks what its served state declares is answered with 503,
//       words and Retry-After, until it is repaired. A push is let through: it may be the repair.
//   R2  For a repository in which nothing changed since the last check this costs a fixed number of
//       system calls.
#pragma once
#include <optional>

#include "http/message.h"
#include "net/task.h"
#include "serve/git/git_route.h"
#include "serve/host/data_inspector.h"
#include "serve/runtime/workers.h"

namespace graspd::serve {

// Nothing: it may be served.
net::Task<std::optional<http::Response>> refusal_for_loss(DataInspector* inspector,
                                                          Workers& workers, GitRoute where);

}  // namespace graspd::serve
