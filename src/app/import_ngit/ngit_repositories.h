// The repositories of an ngit-grasp server: where they are, and how they become ours.
//
//   R1  All layouts are supported: repositories with their own objects (1.x, 2.x), and repositories
//       whose objects are in the group of their identifier (3.x). The layout gives the path of the
//       group; the path that a repository names may be of another machine.
//   R2  Only what the refs of the repository reach is copied: a group has the objects of everybody
//       who uses the identifier.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "core/result.h"
#include "git/ref_name.h"

namespace graspd::app {

struct NgitRepository {
  std::filesystem::path from;
  std::string path;  // below our folder: <npub>/<identifier>.git or prs/<hex>/<identifier>.git
  std::vector<std::filesystem::path> objects;  // folders, its own first

  bool operator<(const NgitRepository& other) const { return path < other.path; }
};

std::vector<NgitRepository> ngit_repositories(const std::filesystem::path& git);

enum class Adoption { Copied, Empty, HereAlready };
struct Adopted {
  Adoption what = Adoption::Copied;
  std::size_t refs = 0;
};

// Without `commit`: what it would be. `root` is our folder, absolute. Blocks.
core::Result<Adopted, std::string> adopt(const NgitRepository& repository,
                                         const std::filesystem::path& root,
                                         const git::RefName& unborn_branch, bool commit);

}  // namespace graspd::app
