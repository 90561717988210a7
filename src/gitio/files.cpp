#include "gitio/files.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include "core/file_descriptor.h"
#include "core/log.h"

namespace graspd::gitio {

namespace fs = std::filesystem;

core::Failure<std::string> failed(std::string_view what, const fs::path& path) {
  const int error = errno;
  return {std::string(what) + ' ' + path.string() + ": " + std::strerror(error)};
}

core::Result<core::Done, std::string> write_file(const fs::path& path, std::string_view content,
                                                 Sync sync) {
  const core::FileDescriptor file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!file) return failed("cannot create", path);
  while (!content.empty()) {
    const ssize_t count = ::write(file.get(), content.data(), content.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failed("cannot write", path);
    content.remove_prefix(static_cast<std::size_t>(count));
  }
  if (sync == Sync::Yes && ::fsync(file.get()) != 0) return failed("cannot sync", path);
  return core::Done{};
}

core::Result<core::Done, std::string> make_folders(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return core::Failure{"cannot create " + path.string() + ": " + error.message()};
  return core::Done{};
}

core::Result<core::Done, std::string> put_in_place(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) return failed("cannot rename", from);
  return core::Done{};
}

core::Result<core::Done, std::string> sync_to_disk(const fs::path& file_or_folder) {
  const core::FileDescriptor file(::open(file_or_folder.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file || ::fsync(file.get()) != 0) return failed("cannot sync", file_or_folder);
  return core::Done{};
}

void remove_tree(const fs::path& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error) core::log::warn("cannot remove {}: {}", path.string(), error.message());
}

}  // namespace graspd::gitio
