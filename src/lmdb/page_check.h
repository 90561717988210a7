// Checks whether the pages of a database file are sound.
//
// When LMDB opens a file, it checks the magic number and the version in the first two pages, and
// takes an empty file for a new database. It follows all other pages through its memory map: a
// truncated or overwritten file ends the process by a signal, or LMDB writes to it. Here the file
// is read as bytes, and nothing in it is trusted.
//
// Every opening checks about a dozen pages, which show whether the file was
// overwritten. The whole file is read before it is checked, backed up, compacted or imported.
//
//   R1  A page must be within the file, have its own number and the expected type, and contain all
//       its nodes. No page is used twice.
//   R2  A file that ends before the last page is sound if only unused pages are missing: LMDB does
//       not write those.
//   R3  The error names the page and says what is wrong with it.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.h"

namespace graspd::lmdb {

enum class PageDepth {
  Tops,        // the list of tables and the first page of each, for every opening
  Everything,  // also done for Tops when the end of the file is missing
};

// As of the transaction `id`, which a reader or the lock keeps from being overwritten.
core::Result<core::Done, std::string> check_pages(const std::string& file, std::uint64_t id,
                                                  PageDepth depth);

// The two pages that everything begins with; before LMDB looks at the file.
core::Result<core::Done, std::string> check_beginning(const std::string& file);

// The failure as a sentence with a remedy.
std::string damaged(const std::string& file, std::string_view what);

}  // namespace graspd::lmdb
