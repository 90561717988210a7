#include "gitio/staging.h"

#include <utility>

#include "core/check.h"
#include "core/log.h"
#include "gitio/object_files.h"
#include "gitio/removal.h"
#include "gitio/skeleton.h"

namespace graspd::gitio {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kTokenMax = 100;
// Where the command list creates its refs; HEAD must name something, and this never exists.
constexpr std::string_view kHead = "refs/heads/staging";

fs::path incoming_of(const fs::path& root) { return root / ".graspd" / "incoming"; }
fs::path quarantine_of(const fs::path& root) { return root / ".graspd" / "quarantine"; }
std::string folder_of(std::string_view token) { return std::string(token) + ".git"; }

core::Result<core::Done, std::string> borrow(const fs::path& path, const fs::path& repo) {
  std::error_code error;
  const fs::path objects = path / "objects";
  const fs::path relative = fs::relative(repo / "objects", objects, error);
  if (error || relative.empty()) return core::Failure{"cannot borrow from " + repo.string()};
  return write_file(objects / "info" / "alternates", relative.string() + "\n", Sync::No);
}

std::size_t sweep_folder(const fs::path& folder, const std::set<std::string>& alive) {
  std::size_t count = 0;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (alive.contains(entry.path().stem().string())) continue;
    remove_tree(entry.path());
    ++count;
  }
  return count;
}

}  // namespace

bool Staging::is_token(std::string_view text) {
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
  return !text.empty() && text.size() <= kTokenMax && text.find_first_not_of(kAllowed) == text.npos;
}

core::Result<Staging, std::string> Staging::create(const fs::path& root, const fs::path& repo,
                                                   std::string_view token) {
  CHECK(is_token(token));
  const fs::path path = incoming_of(root) / folder_of(token);
  std::error_code ignored;
  if (fs::exists(path, ignored)) return core::Failure{path.string() + " exists already"};
  Staging staging(root, path, std::string(token), false);
  if (auto done = write_skeleton(path, kHead, Sync::No); !done) return core::Failure{done.error()};
  if (auto done = borrow(path, repo); !done) return core::Failure{done.error()};
  return staging;
}

core::Result<Staging, std::string> Staging::reopen(const fs::path& root, std::string_view token) {
  CHECK(is_token(token));
  const fs::path path = quarantine_of(root) / folder_of(token);
  std::error_code ignored;
  if (!fs::exists(path / "HEAD", ignored)) return core::Failure{path.string() + " is not there"};
  return Staging(root, path, std::string(token), true);
}

Staging::Staging(fs::path root, fs::path path, std::string token, bool kept)
    : root_(std::move(root)), path_(std::move(path)), token_(std::move(token)), kept_(kept) {}

Staging::Staging(Staging&& other) noexcept
    : root_(std::move(other.root_)),
      path_(std::exchange(other.path_, {})),
      token_(std::move(other.token_)),
      kept_(other.kept_) {}

Staging& Staging::operator=(Staging&& other) noexcept {
  std::swap(root_, other.root_);
  std::swap(path_, other.path_);
  std::swap(token_, other.token_);
  std::swap(kept_, other.kept_);
  return *this;
}

Staging::~Staging() {
  if (!kept_) discard();
}

std::uint64_t Staging::bytes() const { return object_bytes(path_); }

core::Result<core::Done, std::string> Staging::move_into(const fs::path& repository) {
  return transfer_objects(path_, repository, Transfer::Move);
}

core::Result<core::Done, std::string> Staging::keep() {
  if (kept_) return core::Done{};
  for (const char* part :
       {"config", "HEAD", "objects/info/alternates", "objects/info", "objects/pack", "objects"}) {
    if (auto synced = sync_to_disk(path_ / part); !synced) return synced;
  }
  const fs::path folder = quarantine_of(root_);
  const fs::path target = folder / folder_of(token_);
  if (auto made = make_folders(folder); !made) return made;
  if (auto moved = put_in_place(path_, target); !moved) return moved;
  path_ = target;
  kept_ = true;
  return sync_to_disk(folder);
}

void Staging::discard() {
  if (path_.empty()) return;
  const fs::path path = std::exchange(path_, {});
  if (!kept_) return remove_tree(path);
  const auto removed = remove_repository(root_, path, token_);  // never half of it
  if (!removed) core::log::warn("{}", removed.error());
}

std::size_t sweep(const fs::path& root, const std::set<std::string>& alive) {
  return sweep_folder(incoming_of(root), {}) + sweep_folder(quarantine_of(root), alive);
}

}  // namespace graspd::gitio
