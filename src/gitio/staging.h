// Where a push lands before it is judged: a separate bare repository that borrows the objects of
// its target, so that `git receive-pack` can check the history before the target sees a byte of it.
//
//   R1  It is at <root>/.graspd/incoming/<token>.git, or after keep() at
//       <root>/.graspd/quarantine/<token>.git, which survives restarts.
//   R2  It borrows by a relative path, so the data may be moved as a whole.
//   R3  move_into() makes objects appear in a repository in the order that readers need: a pack's
//       index last, and everything on disk before that. Repeating it after a crash is harmless. The
//       caller holds the lock of the repository written to.
//   R4  The destructor removes what is not kept; sweep() removes what a crash left.
#pragma once
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>

#include "core/result.h"

namespace graspd::gitio {

class Staging {
 public:
  // Letters, digits, '-' and '_': it becomes a folder's name.
  static bool is_token(std::string_view text);

  static core::Result<Staging, std::string> create(const std::filesystem::path& root,
                                                   const std::filesystem::path& repo,
                                                   std::string_view token);
  // One that was kept.
  static core::Result<Staging, std::string> reopen(const std::filesystem::path& root,
                                                   std::string_view token);

  Staging(Staging&& other) noexcept;
  Staging& operator=(Staging&& other) noexcept;
  ~Staging();

  const std::filesystem::path& path() const { return path_; }
  const std::string& token() const { return token_; }
  std::uint64_t bytes() const;  // of its packs and loose objects

  core::Result<core::Done, std::string> move_into(const std::filesystem::path& repository);

  // From now on it survives us, until discard().
  core::Result<core::Done, std::string> keep();
  bool kept() const { return kept_; }
  void discard();

 private:
  Staging(std::filesystem::path root, std::filesystem::path path, std::string token, bool kept);

  std::filesystem::path root_, path_;
  std::string token_;
  bool kept_ = false;
};

// At start: removes what a crash left in incoming/, and what no record names in quarantine/.
// Returns how many were removed.
std::size_t sweep(const std::filesystem::path& root, const std::set<std::string>& alive);

}  // namespace graspd::gitio
