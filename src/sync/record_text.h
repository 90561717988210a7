// A RelayRecord as text for the database, and back.
//
//   R1  One field per line, its name first; a field that is not known is passed over, so that an
//       older program can read what a newer one wrote.
//   R2  Text that cannot be read gives nothing: the relay is then met as if for the first time.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "sync/record.h"

namespace graspd::sync {

std::string to_text(const RelayRecord& record);
std::optional<RelayRecord> parse_record(std::string_view text);

}  // namespace graspd::sync
