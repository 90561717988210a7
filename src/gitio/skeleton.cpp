#include "gitio/skeleton.h"

namespace graspd::gitio {

namespace {

// What git does in it is said on its command line; this only says what it is.
constexpr std::string_view kConfig =
    "[core]\n"
    "\trepositoryformatversion = 0\n"
    "\tfilemode = true\n"
    "\tbare = true\n";

}  // namespace

core::Result<core::Done, std::string> write_skeleton(const std::filesystem::path& path,
                                                     std::string_view head, Sync sync) {
  for (const char* folder : {"objects/info", "objects/pack", "refs/heads", "refs/tags"}) {
    if (auto made = make_folders(path / folder); !made) return made;
  }
  if (auto written = write_file(path / "config", kConfig, sync); !written) return written;
  return write_file(path / "HEAD", "ref: " + std::string(head) + "\n", sync);
}

}  // namespace graspd::gitio
