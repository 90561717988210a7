// A bare repository on disk, read without starting a process. All of libgit2 is behind this.
//
//   R1  Only the repository's own configuration is read: not the system's, not a user's.
//   R2  A handle is cheap and short-lived: it is opened for one query and sees what is on disk.
//   R3  create() is all or nothing, even if the machine stops in the middle; repeating it is
//       harmless.
//   R4  One empty repository below the root stands in for all that have no data yet: they need no
//       folder, and git sees them as empty. Nobody writes to it.
//
// Thread-safety: handles of different threads are independent, one handle belongs to one thread.
#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/result.h"
#include "git/oid.h"
#include "git/ref_name.h"

struct git_repository;

namespace graspd::gitio {

class Repository {
 public:
  static core::Result<Repository, std::string> open(const std::filesystem::path& path);

  // Makes an empty bare repository whose HEAD names a branch that does not exist yet. The caller
  // holds the repository's lock.
  static core::Result<core::Done, std::string> create(const std::filesystem::path& path,
                                                      const git::RefName& unborn_head);

  // R4. Where it lies; made, or brought in line with the settings, at start.
  static std::filesystem::path stand_in(const std::filesystem::path& root);
  static core::Result<core::Done, std::string> make_stand_in(const std::filesystem::path& root,
                                                             const git::RefName& unborn_head);

  Repository(Repository&&) noexcept;
  Repository& operator=(Repository&&) noexcept;
  ~Repository();

  // The refs of these spaces (refs/heads, refs/tags, refs/nostr). Refs whose name or value is not
  // one of ours (symbolic, broken) are left out.
  core::Result<git::Refs, std::string> refs(std::span<const git::RefName::Space> spaces) const;
  // One of them, by its name: a look at a file or two, however many there are.
  std::optional<git::Oid> find(const git::RefName& ref) const;
  // Heads and tags: what a state declares.
  core::Result<git::Refs, std::string> heads_and_tags() const;

  std::optional<git::RefName> head() const;  // what HEAD names, born or not

  bool has(const git::Oid& oid) const;
  bool has_commit(const git::Oid& oid) const;  // present and a commit, not a tag of one
  // Those that are not here, ascending, each once.
  std::vector<git::Oid> missing(std::span<const git::Oid> oids) const;
  std::vector<git::Oid> missing(const git::Refs& refs) const;  // of their values

 private:
  struct Close {
    void operator()(git_repository* repository) const;
  };
  explicit Repository(git_repository* repository) : repository_(repository) {}

  std::unique_ptr<git_repository, Close> repository_;
};

}  // namespace graspd::gitio
