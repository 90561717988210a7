#include "lmdb/directory.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <utility>

namespace graspd::lmdb {
namespace {

namespace fs = std::filesystem;

// Less space than this is none: a transaction of one event already touches a dozen pages.
constexpr std::uint64_t kSpaceMin = 256 * 1024;

std::string join(const std::string& directory, std::string_view name) {
  return (fs::path(directory) / name).string();
}

std::string_view remedy(int code) {
  if (code == EACCES || code == EPERM) return "; run it as the user who owns the folder";
  if (code == ENOSPC || code == EDQUOT) return "; free some space and try again";
  if (code == EROFS) return "; name a folder that can be written";
  return "";
}

std::string failed_to(std::string_view what, const std::string& path, int code) {
  return fmt::format("cannot {} {}: {}{}", what, path, std::strerror(code), remedy(code));
}

}  // namespace

core::Result<FileLock, std::string> FileLock::take(const std::string& path, Mode mode) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0640);
  if (descriptor < 0) {
    if (errno == EROFS && mode == Mode::Shared) return FileLock();
    return core::Failure{failed_to("open", path, errno)};
  }
  FileLock lock(descriptor);
  if (::flock(descriptor, (mode == Mode::Shared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return core::Failure{failed_to("lock", path, errno)};
    return core::Failure{std::string()};
  }
  return lock;
}

FileLock::FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

FileLock::~FileLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

namespace {

core::Result<FileLock, std::string> take_or_say(const std::string& path, FileLock::Mode mode,
                                                std::string_view held) {
  auto lock = FileLock::take(path, mode);
  if (!lock && lock.error().empty()) return core::Failure{std::string(held)};
  return lock;
}

}  // namespace

core::Result<FileLock, std::string> lock_for_writing(const std::string& directory) {
  return take_or_say(join(directory, "writer.lock"), FileLock::Mode::Exclusive,
                     "another process is using it (is the server running?)");
}
core::Result<FileLock, std::string> lock_for_reading(const std::string& directory) {
  return take_or_say(join(directory, "reader.lock"), FileLock::Mode::Shared,
                     "it is being compacted");
}
core::Result<FileLock, std::string> lock_against_readers(const std::string& directory) {
  return take_or_say(join(directory, "reader.lock"), FileLock::Mode::Exclusive,
                     "another process is reading it");
}

std::string data_file(const std::string& directory) { return join(directory, "data.mdb"); }

std::string lock_file(const std::string& directory) { return join(directory, "lock.mdb"); }

bool holds_database(const std::string& directory) {
  std::error_code error;
  return fs::exists(data_file(directory), error);
}

core::Result<core::Done, std::string> expect_database(const std::string& directory) {
  struct stat found{};
  if (::stat(data_file(directory).c_str(), &found) == 0) return core::Done{};
  if (errno == ENOENT || errno == ENOTDIR) return core::Failure{std::string("there is none")};
  return core::Failure{failed_to("look into", directory, errno)};
}

core::Result<core::Done, std::string> reserve(const std::string& path, std::size_t bytes) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0640);
  if (descriptor < 0) return core::Failure{failed_to("open", path, errno)};
  const int code = ::posix_fallocate(descriptor, 0, static_cast<off_t>(bytes));
  ::close(descriptor);
  if (code != 0) return core::Failure{failed_to("reserve space for", path, code)};
  return core::Done{};
}

core::Result<core::Done, std::string> make_directory(const std::string& directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) return core::Failure{failed_to("create", directory, error.value())};
  return core::Done{};
}

core::Result<core::Done, std::string> make_private_directory(const std::string& directory) {
  std::error_code error;
  const fs::path path = fs::path(directory).lexically_normal();
  if (path.empty() || fs::is_directory(path, error)) return core::Done{};
  const fs::path above =
      path.has_filename() ? path.parent_path() : path.parent_path().parent_path();
  if (auto made = make_private_directory(above.string()); !made) return made;
  if (::mkdir(path.c_str(), S_IRWXU) == 0 || errno == EEXIST) return core::Done{};
  return core::Failure{failed_to("create", directory, errno)};
}

core::Result<std::string, std::string> make_temporary_directory(const std::string& parent) {
  std::error_code error;
  const fs::path base = parent.empty() ? fs::temp_directory_path(error) : fs::path(parent);
  std::string name = (base / "graspd-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) return core::Failure{failed_to("create", name, errno)};
  return name;
}

void forget_directory(const std::string& directory) {
  std::error_code error;
  fs::remove_all(directory, error);
}

void forget_file(const std::string& path) {
  std::error_code error;
  fs::remove(path, error);
}

core::Result<core::Done, std::string> sync_path(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return core::Failure{failed_to("open", path, errno)};
  const bool synced = ::fsync(descriptor) == 0;
  const int code = errno;
  ::close(descriptor);
  if (!synced) return core::Failure{failed_to("sync", path, code)};
  return core::Done{};
}

bool is_full(const std::string& directory) {
  struct statvfs space{};
  if (::statvfs(directory.c_str(), &space) == 0 && space.f_bavail * space.f_frsize < kSpaceMin) {
    return true;
  }
  std::error_code error;
  const std::uint64_t size = fs::file_size(data_file(directory), error);
  struct rlimit limit{};
  return !error && ::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
         size + kSpaceMin > limit.rlim_cur;
}

}  // namespace graspd::lmdb
