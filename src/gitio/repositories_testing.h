// For tests: repositories made by the real git in a folder that is gone afterwards.
#pragma once
#include <cstdio>
#include <filesystem>
#include <stdlib.h>
#include <string>
#include <string_view>
#include <vector>

#include "core/check.h"
#include "git/command_line.h"
#include "gitio/repository.h"
#include "gitio/run.h"

namespace graspd::gitio::testing {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "graspd-XXXXXX").string();
    CHECK(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline git::CommandLine git_in(const std::filesystem::path& folder,
                               std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "git");
  return {.argv = std::move(arguments),
          .env = {"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/nonexistent", "LC_ALL=C",
                  "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com",
                  "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.com",
                  "GIT_AUTHOR_DATE=1700000000 +0000", "GIT_COMMITTER_DATE=1700000000 +0000"},
          .directory = folder.string()};
}

// Without the newline at its end; a failure ends the test program.
inline std::string git(const std::filesystem::path& folder, std::vector<std::string> arguments,
                       std::string_view input = {}) {
  auto output = run_ok(git_in(folder, std::move(arguments)), input);
  if (!output) std::fprintf(stderr, "%s\n", output.error().c_str());
  CHECK(output);
  while (output->ends_with('\n')) output->pop_back();
  return *std::move(output);
}

inline git::RefName ref_name(std::string_view text) {
  auto name = git::RefName::parse(text);
  CHECK(name);
  return *name;
}

inline git::Oid oid(std::string_view text) {
  auto parsed = git::Oid::parse(text);
  CHECK(parsed);
  return *parsed;
}

inline std::filesystem::path make_repository(const std::filesystem::path& path) {
  CHECK(Repository::create(path, ref_name("refs/heads/master")));
  return path;
}

inline git::Oid blob(const std::filesystem::path& repository, std::string_view content) {
  return oid(git(repository, {"hash-object", "-w", "--stdin"}, content));
}

// A commit with one file, loose objects all of it, and no ref.
inline git::Oid commit(const std::filesystem::path& repository, std::string_view content,
                       const std::vector<git::Oid>& parents = {}) {
  const std::string entry = "100644 blob " + blob(repository, content).hex() + "\tfile\n";
  const std::string tree = git(repository, {"mktree"}, entry);
  std::vector<std::string> arguments{"commit-tree", tree, "-m", std::string(content.substr(0, 20))};
  for (const git::Oid& parent : parents) {
    arguments.emplace_back("-p");
    arguments.push_back(parent.hex());
  }
  return oid(git(repository, std::move(arguments)));
}

inline void set_ref(const std::filesystem::path& repository, const std::string& name,
                    const git::Oid& value) {
  git(repository, {"update-ref", name, value.hex()});
}

// All objects it holds itself, reachable or not.
inline std::string all_objects(const std::filesystem::path& repository) {
  return git(repository,
             {"cat-file", "--batch-all-objects", "--batch-check=%(objectname)", "--unordered"});
}

inline bool holds(const std::filesystem::path& repository, const git::Oid& oid) {
  return all_objects(repository).find(oid.hex()) != std::string::npos;
}

}  // namespace graspd::gitio::testing
