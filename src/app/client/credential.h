// A git credential helper for private services (GRASP-08).
//
//   R1  `get` answers with a user name and, as password, a signed event for the repository, which
//       such a service takes as HTTP Basic password (relay/git_access.h). For anything but the
//       repository of an http(s) server that asks for it, the answer is empty: git then asks its
//       other helpers.
//   R2  `store` and `erase` do nothing: a credential is made for each use.
//   R3  git names the repository only if credential.useHttpPath is set for the server. Without it
//       nothing can be signed, and the person is told what to set.
#pragma once
#include <string>
#include <string_view>

#include "core/result.h"
#include "core/time.h"
#include "nostr/signature.h"

namespace graspd::app {

// What git says on standard input: R1. An empty root: this is nobody's business here. The failure
// is a sentence: R3.
core::Result<std::string, std::string> credential_root(std::string_view description);
// What git reads.
std::string credential_answer(const std::string& root, const nostr::Keypair& keypair,
                              core::UnixSeconds now);

}  // namespace graspd::app
