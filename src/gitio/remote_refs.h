// Reads what a remote advertises.
//
//   R1  One `git ls-remote` with protocol version 2. Heads, tags and refs/nostr are read; other
//       refs and invalid names are skipped.
//   R2  Limited: bytes, refs, time, memory. Exceeding a limit is a failure.
//   R3  Connections go only to allowed addresses: see fetch_address.h.
#pragma once
#include <optional>
#include <stop_token>

#include "core/result.h"
#include "git/fetch_failure.h"
#include "git/fetch_url.h"
#include "git/ref_name.h"
#include "gitio/fetch_options.h"

namespace graspd::gitio {

struct RemoteRefs {
  git::Refs refs;
  std::optional<git::RefName> head;  // what HEAD names, if the remote says so
};

// Blocks; from any thread. One git command.
core::Result<RemoteRefs, git::FetchError> read_remote_refs(const git::FetchUrl& url,
                                                           const RemoteRefsOptions& options,
                                                           const std::stop_token& stop);

}  // namespace graspd::gitio
