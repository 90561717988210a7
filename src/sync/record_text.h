// A RelayRecord as text for the database, and back.
//
//   R1  One field per line, its name first; unknown fields are skipped, so that an older program
//       can read what a newer one wrote.
//   R2  Text that cannot be parsed gives nothing: the relay is then treated as new.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "sync/record.h"

namespace graspd::sync {

std::string to_text(const RelayRecord& record);
std::optional<RelayRecord> parse_record(std::string_view text);

}  // namespace graspd::sync
