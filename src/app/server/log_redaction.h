// Log lines of a private service (GRASP-08), which may be read by more people than its members.
//
//   R1  Keys, event ids and commits (npub1…, 40 hex digits and more) are left out.
//   R2  So is what follows a key after '/' or ':', up to `.git`, or else up to the next ": " or the
//       end of the line: the name of a repository. It may contain anything, spaces included.
//   R3  So are the names of refs.
#pragma once
#include <string>
#include <string_view>

namespace graspd::app {

std::string redacted(std::string_view line);

}  // namespace graspd::app
