// Stores for tests, in directories that go with them.
#pragma once
#include <filesystem>
#include <string>

#include "core/check.h"
#include "lmdb/directory.h"
#include "lmdb/lmdb_store.h"
#include "store/testing/events.h"

namespace graspd::lmdb::testing {

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    auto made = make_temporary_directory({});
    CHECK(made);
    path_ = *made;
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() { forget_directory(path_); }

  const std::string& path() const { return path_; }
  std::string path(std::string_view name) const {
    return (std::filesystem::path(path_) / name).string();
  }

 private:
  std::string path_;
};

inline std::unique_ptr<LmdbStore> open_or_die(const Options& options) {
  auto opened = LmdbStore::open(options);
  if (!opened) std::fprintf(stderr, "%s\n", opened.error().c_str());
  CHECK(opened);
  return *std::move(opened);
}

inline std::unique_ptr<LmdbStore> open_in_memory() {
  Options options;
  options.in_memory = true;
  return open_or_die(options);
}

// Some notes, different for every `first`; time goes on with the number.
inline std::vector<store::Write> notes(std::uint32_t first, std::uint32_t count,
                                       std::size_t content_size = 100) {
  std::vector<store::Write> batch;
  for (std::uint32_t i = first; i < first + count; ++i) {
    std::string content = std::to_string(i) + std::string(content_size, 'x');
    batch.push_back({store::testing::event(i % 7, 1, 1'000 + i, {{"t", std::to_string(i % 5)}},
                                           std::move(content))});
  }
  return batch;
}

}  // namespace graspd::lmdb::testing
