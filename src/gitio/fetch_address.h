// Where a fetch may go.
//
//   R1  The name is asked once, by us; git connects to the addresses that were judged here and does
//       not ask again. Who answers differently a second time gains nothing.
//   R2  Only addresses of the public internet (core/address_class.h), unless private ones are
//       allowed. A host written as an address is judged like one that was looked up.
//   R3  That nobody could be asked for the name says nothing about it: it is not to blame, and may
//       be asked for again soon.
#pragma once
#include <vector>

#include "core/ip_address.h"
#include "core/result.h"
#include "git/fetch_failure.h"
#include "git/fetch_url.h"
#include "gitio/fetch_options.h"

namespace graspd::gitio {

// Blocks. Never empty: the failure is Name, Forbidden or Unreachable (R3).
core::Result<std::vector<core::IpAddress>, git::FetchError> permitted_addresses(
    const git::FetchUrl& url, const RemoteOptions& options);

}  // namespace graspd::gitio
