#include "gitio/repository_stamp.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <fmt/format.h>
#include <iterator>
#include <sys/stat.h>
#include <vector>

#include "gitio/files.h"
#include "gitio/repository.h"

namespace graspd::gitio {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStamped[] = {"",          "HEAD",    "packed-refs", "refs/heads",
                                    "refs/tags", "objects", "objects/pack"};
// The clocks of file systems tick every few milliseconds.
constexpr std::int64_t kTickNs = 100'000'000;
// Loose refs that a thorough stamp looks at; maintenance packs them long before.
constexpr std::size_t kFilesStamped = 20'000;

std::int64_t nanoseconds(const statx_timestamp& time) {
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

struct Status {
  bool is_there = false;
  struct statx of{};
};

Status status_of(const fs::path& path) {
  Status status;
  constexpr unsigned kWanted = STATX_INO | STATX_SIZE | STATX_MTIME | STATX_CTIME | STATX_BTIME;
  status.is_there = ::statx(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW, kWanted, &status.of) == 0;
  return status;
}

// When and as what the file was made. Not all file systems know when.
std::string birth(const Status& status) {
  const bool knows = (status.of.stx_mask & STATX_BTIME) != 0;
  return fmt::format("{} {}", status.of.stx_ino, knows ? nanoseconds(status.of.stx_btime) : 0);
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    names.push_back(at->path().filename());
  std::ranges::sort(names);
  return names;
}

void stamp(std::string& text, const fs::path& file) {
  const Status status = status_of(file);
  fmt::format_to(std::back_inserter(text), "{} {} {} {} {}\n", file.filename().string(),
                 status.of.stx_ino, status.of.stx_size, nanoseconds(status.of.stx_ctime),
                 nanoseconds(status.of.stx_mtime));
}

void stamp_tree(std::string& text, const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> found;
  for (fs::recursive_directory_iterator at(folder, error), end;
       !error && at != end && found.size() < kFilesStamped; at.increment(error))
    found.push_back(at->path());
  std::ranges::sort(found);
  for (const fs::path& file : found) stamp(text, file);
}

}  // namespace

RepositoryStamp::File RepositoryStamp::file(const fs::path& path) {
  const Status status = status_of(path);
  if (!status.is_there) return {};
  return {status.of.stx_ino, status.of.stx_size, nanoseconds(status.of.stx_ctime),
          nanoseconds(status.of.stx_mtime)};
}

RepositoryStamp RepositoryStamp::of(const fs::path& repository) {
  RepositoryStamp stamp;
  static_assert(std::size(kStamped) == std::tuple_size_v<decltype(files_)>);
  std::ranges::transform(kStamped, stamp.files_.begin(), [&](const char* name) {
    return file(*name == '\0' ? repository : repository / name);
  });
  return stamp;
}

bool RepositoryStamp::is_settled() const {
  const std::int64_t now = std::chrono::duration_cast<std::chrono::nanoseconds>(
                               std::chrono::system_clock::now().time_since_epoch())
                               .count();
  return std::ranges::all_of(files_, [&](const File& file) {
    return file.changed_ns < now - kTickNs || file.changed_ns > now + kTickNs;
  });
}

std::uint64_t thorough_stamp(const fs::path& repository) {
  std::string text;
  for (const char* name : kStamped) stamp(text, *name == '\0' ? repository : repository / name);
  const fs::path packs = repository / "objects" / "pack";
  for (const std::string& name : names_in(packs)) stamp(text, packs / name);
  for (const char* space : {"heads", "tags"}) stamp_tree(text, repository / "refs" / space);
  return git::number_of(text);
}

core::Result<git::Fingerprint, std::string> fingerprint(const fs::path& repository,
                                                        const git::Refs& refs) {
  const fs::path packs = repository / "objects" / "pack";
  std::string origin;
  for (const fs::path& folder : {repository, packs.parent_path(), packs}) {
    const Status status = status_of(folder);
    if (!status.is_there) return failed("cannot look at", folder);
    origin += birth(status) + "\n";
  }
  std::vector<std::uint64_t> numbers;
  for (const std::string& name : names_in(packs)) {
    if (!name.ends_with(".pack")) continue;
    const Status status = status_of(packs / name);
    numbers.push_back(
        git::number_of(fmt::format("{} {} {}", name, status.of.stx_size, birth(status))));
  }
  return git::Fingerprint{git::number_of(origin), git::number_of(refs),
                          git::numbers_of_packs(std::move(numbers))};
}

core::Result<git::Fingerprint, std::string> fingerprint(const fs::path& repository) {
  const auto opened = Repository::open(repository);
  if (!opened) return core::Failure{opened.error()};
  const auto refs = opened->heads_and_tags();
  if (!refs) return core::Failure{refs.error()};
  return fingerprint(repository, *refs);
}

}  // namespace graspd::gitio
