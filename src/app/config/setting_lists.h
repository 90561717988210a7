// Lists of people and repositories that an operator admits or rejects, with the files they name.
//
//   R1  Entries are separated by commas. An entry @path includes the entries of that file, which
//       are one per line or separated by commas; # begins a comment.
//   R2  Every entry must be valid: skipping one would admit or exclude the wrong people. All
//       invalid entries are named, each with its line.
//   R3  A whitelist must name somebody: an empty one would admit everybody.
//   R4  Files are read when settings are: at the start, and again on SIGHUP.
#pragma once
#include <vector>

#include "app/config/setting_table.h"

namespace graspd::app {

enum class ListOf { Repositories, Authors };
enum class MayBeEmpty { No, Yes };  // R3

Parsed<grasp::AccessList> parse_access_list(std::string_view text, ListOf what, MayBeEmpty empty);

Setting archive_whitelist();
Setting private_members();

// The settings that SIGHUP reads again.
bool is_access_list(const Setting& setting);

}  // namespace graspd::app
