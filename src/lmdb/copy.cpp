#include "lmdb/copy.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <sys/stat.h>

#include "lmdb/directory.h"

namespace graspd::lmdb {
namespace {

namespace fs = std::filesystem;

std::string why_not(int code, const std::string& directory) {
  if (code == ENOSPC || code == EDQUOT || (code == EIO && is_full(directory)))
    return "the disk is full; free some space and try again";
  return sentence(code);
}

core::Result<core::Done, std::string> copy_and_move(const Env& env, const std::string& unfinished,
                                                    const std::string& directory, bool compact,
                                                    mode_t mode) {
  try {
    env.copy(unfinished, compact);
  } catch (const Failed& failed) {
    return core::Failure{why_not(failed.code, directory)};
  }
  if (::chmod(data_file(unfinished).c_str(), mode) != 0)
    return core::Failure{std::string(std::strerror(errno))};
  if (auto synced = sync_path(data_file(unfinished)); !synced) return synced;
  std::error_code error;
  // It counts the transactions of the file it was made for, and must not meet another.
  fs::remove(lock_file(directory), error);
  if (error) return core::Failure{error.message()};
  fs::rename(data_file(unfinished), data_file(directory), error);
  if (error) return core::Failure{error.message()};
  return sync_path(directory);
}

}  // namespace

core::Result<core::Done, std::string> copy_whole(const Env& env, const std::string& directory,
                                                 bool compact, mode_t mode) {
  const std::string unfinished = (fs::path(directory) / "unfinished").string();
  forget_directory(unfinished);
  if (auto made = make_private_directory(unfinished); !made) return made;
  auto done = copy_and_move(env, unfinished, directory, compact, mode);
  forget_directory(unfinished);
  return done;
}

}  // namespace graspd::lmdb
