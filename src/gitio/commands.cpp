#include "gitio/commands.h"

#include <chrono>
#include <fmt/format.h>
#include <initializer_list>
#include <string>

namespace graspd::gitio {

namespace {

git::CommandLine in_repository(const std::filesystem::path& repository,
                               std::initializer_list<std::string> arguments) {
  git::CommandLine command = git::pack_refs(repository.string());
  command.argv = {"git", "--git-dir=" + repository.string()};
  command.argv.insert(command.argv.end(), arguments);
  return command;
}

}  // namespace

git::CommandLine list_objects(const std::filesystem::path& repository) {
  return in_repository(repository, {"rev-list", "--objects", "--no-object-names", "--stdin"});
}

git::CommandLine measure_objects(const std::filesystem::path& repository) {
  return in_repository(repository,
                       {"rev-list", "--objects", "--disk-usage", "--use-bitmap-index", "--stdin"});
}

// Without the commit-graph, which knows of commits whether they are there or not.
git::CommandLine walk_objects(const std::filesystem::path& repository) {
  return in_repository(
      repository, {"-c", "core.commitGraph=false", "rev-list", "--objects", "--quiet", "--stdin"});
}

git::CommandLine pack_objects_into(const std::filesystem::path& repository,
                                   const std::filesystem::path& base) {
  return in_repository(repository, {"pack-objects", "--quiet", "--delta-base-offset", base});
}

git::CommandLine repack_all(const std::filesystem::path& repository, core::Duration grace) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(grace).count();
  return in_repository(repository,
                       {"repack", "-d", "-n", "--quiet", "--cruft", "--write-bitmap-index",
                        fmt::format("--cruft-expiration={}.seconds.ago", seconds)});
}

git::CommandLine repack_small(const std::filesystem::path& repository) {
  return in_repository(repository, {"repack", "-d", "-n", "--quiet", "--geometric=2"});
}

git::CommandLine with_synced_refs(git::CommandLine command) {
  command.argv.insert(command.argv.begin() + 1, {"-c", "core.fsync=committed,reference"});
  return command;
}

}  // namespace graspd::gitio
