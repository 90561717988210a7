// What a repository on disk consists of, in a few numbers: the data that a verification covered,
// and whether that data is still here.
//
//   R1  Another folder is another origin, even with the same files: restored data is not the data
//       that was verified.
//   R2  Objects arrive only in packs. A new pack does not invalidate a verification; a missing pack
//       does, even if a better one replaced it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "git/ref_name.h"

namespace graspd::git {

struct Fingerprint {
  std::uint64_t origin = 0;          // R1
  std::uint64_t refs = 0;            // branches and tags, and where they stand
  std::vector<std::uint64_t> packs;  // ascending: each by its name and size

  // R2: all that `older` was made from.
  bool still_holds(const Fingerprint& older) const;
  bool operator==(const Fingerprint&) const = default;
};

// More packs than this are remembered as one number: then every change of them counts. Maintenance
// leaves far fewer.
inline constexpr std::size_t kPacksInFingerprint = 64;

// The first bytes of a SHA-256: a number that changes with the text.
std::uint64_t number_of(std::string_view text);
std::uint64_t number_of(const Refs& refs);
// Sorts them; see kPacksInFingerprint.
std::vector<std::uint64_t> numbers_of_packs(std::vector<std::uint64_t> packs);

// "origin refs pack pack …", in hex; nullopt: it cannot be read.
std::string to_text(const Fingerprint& fingerprint);
std::optional<Fingerprint> parse_fingerprint(std::string_view text);

}  // namespace graspd::git
