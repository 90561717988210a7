#include "gitio/removal.h"

#include <cerrno>
#include <sys/statvfs.h>

#include "gitio/files.h"

namespace graspd::gitio {

namespace fs = std::filesystem;

namespace {

fs::path trash_of(const fs::path& root) { return root / ".graspd" / "trash"; }

// Under `name`, or under one with a number when an interrupted removal left something there.
core::Result<fs::path, std::string> move_to_trash(const fs::path& path, const fs::path& trash,
                                                  std::string_view name) {
  for (int number = 0;; ++number) {
    const fs::path target = trash / (std::string(name) + '.' + std::to_string(number));
    if (::rename(path.c_str(), target.c_str()) == 0) return target;
    if (errno != ENOTEMPTY && errno != EEXIST) return failed("cannot remove", path);
  }
}

}  // namespace

core::Result<core::Done, std::string> remove_repository(const fs::path& root,
                                                        const fs::path& repository,
                                                        std::string_view token) {
  std::error_code ignored;
  if (!fs::exists(fs::symlink_status(repository, ignored))) return core::Done{};
  const fs::path trash = trash_of(root);
  if (auto made = make_folders(trash); !made) return made;
  auto moved = move_to_trash(repository, trash, token);
  if (!moved) return core::Failure{std::move(moved).error()};
  if (auto synced = sync_to_disk(repository.parent_path()); !synced) return synced;
  remove_tree(*moved);
  return core::Done{};
}

std::size_t sweep_trash(const fs::path& root) {
  std::size_t count = 0;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(trash_of(root), ignored)) {
    remove_tree(entry.path());
    ++count;
  }
  return count;
}

std::optional<std::uint64_t> free_bytes(const fs::path& path) {
  struct statvfs status{};
  fs::path at = fs::path(path).lexically_normal();
  while (::statvfs(at.c_str(), &status) != 0) {  // not made yet: where it would be made
    if (errno != ENOENT || at == "." || at == at.parent_path()) return std::nullopt;
    at = at.has_parent_path() ? at.parent_path() : ".";
  }
  return static_cast<std::uint64_t>(status.f_bavail) * status.f_frsize;
}

}  // namespace graspd::gitio
