// The directory of a database, and which processes may use it.
//
//   R1  One process writes. A second writer is refused while the first one lives; a crash leaves no
//       lock behind, because the lock ends with its holder.
//   R2  Processes that only read may come and go beside the writer, but not while the file is being
//       replaced.
//   R3  On a read-only medium nobody can write, so the database is read without a lock.
#pragma once
#include <string>

#include "core/result.h"

namespace graspd::lmdb {

class FileLock {
 public:
  enum class Mode { Shared, Exclusive };
  // Fails with a sentence when somebody else holds it.
  static core::Result<FileLock, std::string> take(const std::string& path, Mode mode);

  FileLock() = default;
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  ~FileLock();

 private:
  explicit FileLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_ = -1;
};

core::Result<FileLock, std::string> lock_for_writing(const std::string& directory);
core::Result<FileLock, std::string> lock_for_reading(const std::string& directory);
core::Result<FileLock, std::string> lock_against_readers(const std::string& directory);

std::string data_file(const std::string& directory);
bool holds_database(const std::string& directory);
// Or why there is none to be seen.
core::Result<core::Done, std::string> expect_database(const std::string& directory);
std::string lock_file(const std::string& directory);
// The file has space on disk for so much; it is made, and grows if it must.
core::Result<core::Done, std::string> reserve(const std::string& path, std::size_t bytes);

core::Result<core::Done, std::string> make_directory(const std::string& directory);
// What of it is not there yet is made for this user alone; what is there stays as it is.
core::Result<core::Done, std::string> make_private_directory(const std::string& directory);
core::Result<std::string, std::string> make_temporary_directory(const std::string& parent);
void forget_directory(const std::string& directory);  // with what is in it
void forget_file(const std::string& path);
core::Result<core::Done, std::string> sync_path(const std::string& path);  // a file or a directory

// LMDB reports a write that was cut short as an I/O error; a full disk is the usual reason.
bool is_full(const std::string& directory);

}  // namespace graspd::lmdb
