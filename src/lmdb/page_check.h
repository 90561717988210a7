// Are the pages of a database file what they should be?
//
// At opening LMDB looks at the magic number and the version in the first two pages, and takes an
// empty file for a new database. What other pages say it follows through its memory map: a file
// that was cut short or overwritten ends the process by a signal, or is written to. Here the file
// is read as bytes, and nothing in it is believed.
//
// Every opening needs this, but little of it: about a dozen pages tell whether the file was
// overwritten. The whole file is read before it is checked, backed up, compacted or imported.
//
//   R1  A page must lie in the file, carry its own number and the type that is expected of it, and
//       all its nodes must lie within it. No page is used twice.
//   R2  A file that ends before the last page is sound if only unused pages are missing: LMDB does
//       not write those.
//   R3  The failure says what is wrong with which page.
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
