#include "gitio/leftovers.h"

#include <string>
#include <system_error>
#include <vector>

#include "gitio/files.h"

namespace graspd::gitio {

namespace fs = std::filesystem;

namespace {

// A pack that never got its index, or that lost it: readers do not see it, and never will.
bool is_orphan(const fs::path& path) {
  if (path.extension() != ".pack" && path.extension() != ".rev") return false;
  std::error_code ignored;
  return !fs::exists(fs::path(path).replace_extension(".idx"), ignored);
}

bool is_leftover(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with("tmp_") || name.starts_with("incoming-") || name.starts_with(".tmp-") ||
         name.ends_with(".lock") || name == "packed-refs.new" || is_orphan(path);
}

bool is_old(const fs::path& path, core::Duration age) {
  std::error_code error;
  const auto written = fs::last_write_time(path, error);
  return !error && fs::file_time_type::clock::now() - written >= age;
}

template <class Predicate>
void collect(std::vector<fs::path>& found, const fs::path& folder, const Predicate& is_wanted) {
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (!is_wanted(entry->path())) continue;
    entry.disable_recursion_pending();
    found.push_back(entry->path());
  }
}

std::size_t remove_old(const std::vector<fs::path>& paths, core::Duration age) {
  std::size_t count = 0;
  for (const fs::path& path : paths) {
    if (!is_old(path, age)) continue;
    remove_tree(path);
    ++count;
  }
  return count;
}

}  // namespace

std::size_t remove_leftovers(const fs::path& repository, core::Duration age) {
  std::vector<fs::path> found;
  collect(found, repository, is_leftover);
  return remove_old(found, age);
}

std::size_t remove_ref_locks(const fs::path& repository, core::Duration age) {
  std::vector<fs::path> found{repository / "HEAD.lock", repository / "packed-refs.lock",
                              repository / "packed-refs.new"};
  collect(found, repository / "refs",
          [](const fs::path& path) { return path.extension() == ".lock"; });
  return remove_old(found, age);
}

}  // namespace graspd::gitio
