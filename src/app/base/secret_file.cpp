#include "app/base/secret_file.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/file_descriptor.h"

namespace graspd::app {
namespace {

using core::Failure;

constexpr mode_t kOwnerOnly = S_IRUSR | S_IWUSR;
constexpr mode_t kReadableByOthers = S_IRGRP | S_IROTH;
constexpr std::size_t kSecretBytesMax = 4096;

std::string complaint(const std::filesystem::path& path, std::string_view what) {
  return fmt::format("cannot {} {}: {}", what, path.string(), std::strerror(errno));
}

std::string exposed(const std::filesystem::path& path, mode_t mode, std::string_view better) {
  return fmt::format("others can read {0} (mode {1:04o}); run: chmod {2} {0}", path.string(), mode,
                     better);
}

bool write_all(const core::FileDescriptor& file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file.get(), text.data(), text.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

void sync_folder_of(const std::filesystem::path& path) {
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  const core::FileDescriptor file(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (file) ::fsync(file.get());
}

}  // namespace

core::Result<std::string, std::string> read_secret_file(const std::filesystem::path& path) {
  const core::FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return Failure{complaint(path, "open")};
  std::array<char, kSecretBytesMax> buffer;
  const ssize_t size = ::read(file.get(), buffer.data(), buffer.size());
  if (size < 0) return Failure{complaint(path, "read")};
  std::string text(buffer.data(), static_cast<std::size_t>(size));
  ::explicit_bzero(buffer.data(), buffer.size());
  return text;
}

std::optional<std::string> make_private(const std::filesystem::path& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return complaint(path, "look at");
  const mode_t mode = status.st_mode & 07777;
  if (mode == kOwnerOnly) return std::nullopt;
  const bool is_mended = ::chmod(path.c_str(), kOwnerOnly) == 0;
  if ((mode & kReadableByOthers) == 0) return std::nullopt;
  if (is_mended) {
    return fmt::format(
        "others could read {} (mode {:04o}), which is 0600 now; if somebody may have read it, make "
        "a new key",
        path.string(), mode);
  }
  if (status.st_uid == ::geteuid()) return exposed(path, mode, "600");
  if ((mode & S_IROTH) == 0) return std::nullopt;  // of somebody else, who lets our group read it
  return exposed(path, mode, "o-rwx");
}

std::optional<std::string> exposed_to_strangers(const std::filesystem::path& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0 || (status.st_mode & S_IROTH) == 0) return std::nullopt;
  return exposed(path, status.st_mode & 07777, "o-rwx");
}

core::Result<core::Done, std::string> create_secret_file(const std::filesystem::path& path,
                                                         std::string_view text) {
  const core::FileDescriptor file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kOwnerOnly));
  if (!file) return Failure{complaint(path, "create")};
  if (!write_all(file, text) || ::fsync(file.get()) != 0) {
    const std::string what = complaint(path, "write");
    ::unlink(path.c_str());
    return Failure{what};
  }
  sync_folder_of(path);
  return core::Done{};
}

void wipe(std::string& secret) {
  ::explicit_bzero(secret.data(), secret.size());
  secret.clear();
}

}  // namespace graspd::app
