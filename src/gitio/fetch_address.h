// Which addresses a fetch may connect to.
//
//   R1  We resolve the name once; git connects to the addresses that were checked here and does not
//       resolve it again. A resolver that answers differently a second time gains nothing.
//   R2  Only addresses of the public internet (core/address_class.h), unless private ones are
//       allowed. A host written as an address is checked like a resolved one.
//   R3  If no resolver could be asked, the name is not at fault and may be resolved again soon.
//   R4  A remote that may not be asked (RemoteOptions::access) is not even resolved. That may
//       change soon: it is not set aside for it.
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
