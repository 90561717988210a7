// Adds what git's advertisement of an empty repository leaves out.
#pragma once
#include <string>
#include <string_view>

namespace graspd::git {

// upload-pack of git 2.39 advertises nothing at all for a repository without refs, in versions 0
// and 1 of the protocol: clients could not know what the server can do. Newer ones send the
// capabilities with a line that stands for no ref; so do we. Everything else is returned as it is.
std::string complete_advertisement(std::string_view upload_pack_output);

}  // namespace graspd::git
