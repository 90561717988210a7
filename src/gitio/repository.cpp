#include "gitio/repository.h"

#include <algorithm>
#include <array>
#include <git2.h>
#include <set>
#include <utility>

#include "core/check.h"
#include "gitio/skeleton.h"

namespace graspd::gitio {

namespace fs = std::filesystem;

namespace {

template <auto function>
struct Free {
  template <class T>
  void operator()(T* pointer) const {
    function(pointer);
  }
};
using Reference = std::unique_ptr<git_reference, Free<git_reference_free>>;
using Iterator = std::unique_ptr<git_reference_iterator, Free<git_reference_iterator_free>>;
using Odb = std::unique_ptr<git_odb, Free<git_odb_free>>;

// R1. Owner validation is off because the operator chose the folder; what is in it is ours.
void initialise() {
  static const bool once = [] {
    CHECK(git_libgit2_init() >= 0);
    for (const auto level : {GIT_CONFIG_LEVEL_PROGRAMDATA, GIT_CONFIG_LEVEL_SYSTEM,
                             GIT_CONFIG_LEVEL_XDG, GIT_CONFIG_LEVEL_GLOBAL}) {
      CHECK(git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, level, "") == 0);
    }
    CHECK(git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0) == 0);
    return true;
  }();
  CHECK(once);
}

core::Failure<std::string> complaint(const std::string& what) {
  const git_error* error = git_error_last();
  return {what + ": " + (error != nullptr ? error->message : "unknown error")};
}

git_oid raw(const git::Oid& oid) {
  git_oid result;
  std::copy(oid.bytes().begin(), oid.bytes().end(), result.id);
  return result;
}

git::Oid cooked(const git_oid& oid) {
  return git::Oid::from_span(std::span<const std::uint8_t, git::Oid::kSize>(oid.id));
}

// References come in order: each is put behind the last.
void add(git::Refs& refs, const git_reference* reference,
         std::span<const git::RefName::Space> spaces) {
  const git_oid* const target = git_reference_target(reference);  // null when symbolic
  auto name = git::RefName::parse(git_reference_name(reference));
  if (target == nullptr || !name || std::ranges::count(spaces, name->space()) == 0) return;
  refs.emplace_hint(refs.end(), *std::move(name), cooked(*target));
}

// Loose refs of other spaces are not even opened.
const char* glob(git::RefName::Space space) {
  switch (space) {
    case git::RefName::Space::Heads:
      return "refs/heads/*";
    case git::RefName::Space::Tags:
      return "refs/tags/*";
    case git::RefName::Space::Nostr:
      return "refs/nostr/*";
    case git::RefName::Space::Other:
      return "refs/*";
  }
  return "refs/*";
}

Odb odb_of(git_repository* repository) {
  git_odb* odb = nullptr;
  return Odb(git_repository_odb(&odb, repository) == 0 ? odb : nullptr);
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path / "HEAD", ignored);
}

}  // namespace

void Repository::Close::operator()(git_repository* repository) const {
  git_repository_free(repository);
}
Repository::Repository(Repository&&) noexcept = default;
Repository& Repository::operator=(Repository&&) noexcept = default;
Repository::~Repository() = default;

core::Result<Repository, std::string> Repository::open(const fs::path& path) {
  initialise();
  git_repository* repository = nullptr;
  constexpr unsigned kFlags = GIT_REPOSITORY_OPEN_BARE | GIT_REPOSITORY_OPEN_NO_SEARCH;
  if (git_repository_open_ext(&repository, path.c_str(), kFlags, nullptr) != 0) {
    return complaint("cannot open " + path.string());
  }
  return Repository(repository);
}

// Made beside its place under a name that a second attempt finds and clears away. It is shorter
// than the repository's own, which may be as long as a name can be.
core::Result<core::Done, std::string> Repository::create(const fs::path& path,
                                                         const git::RefName& unborn_head) {
  if (is_there(path)) return core::Done{};
  const fs::path parent = path.parent_path();
  const fs::path draft = parent / ("." + path.stem().string() + "~");
  if (auto made = make_folders(parent); !made) return made;
  remove_tree(draft);
  if (auto made = write_skeleton(draft, unborn_head.text(), Sync::Yes); !made) return made;
  if (auto renamed = put_in_place(draft, path); !renamed) return renamed;
  return sync_to_disk(parent);
}

fs::path Repository::stand_in(const fs::path& root) { return root / ".graspd" / "empty.git"; }

core::Result<core::Done, std::string> Repository::make_stand_in(const fs::path& root,
                                                                const git::RefName& unborn_head) {
  const fs::path path = stand_in(root);
  const auto known = open(path);
  if (known && known->head() == unborn_head) return core::Done{};
  remove_tree(path);
  return create(path, unborn_head);
}

core::Result<git::Refs, std::string> Repository::refs(
    std::span<const git::RefName::Space> spaces) const {
  git::Refs refs;
  for (const git::RefName::Space space : spaces) {
    git_reference_iterator* raw_iterator = nullptr;
    if (git_reference_iterator_glob_new(&raw_iterator, repository_.get(), glob(space)) != 0)
      return complaint("cannot read refs");
    const Iterator iterator(raw_iterator);
    git_reference* next = nullptr;
    int result = 0;
    while ((result = git_reference_next(&next, iterator.get())) == 0)
      add(refs, Reference(next).get(), spaces);
    if (result != GIT_ITEROVER) return complaint("cannot read refs");
  }
  return refs;
}

std::optional<git::Oid> Repository::find(const git::RefName& ref) const {
  git_reference* found = nullptr;
  if (git_reference_lookup(&found, repository_.get(), ref.text().c_str()) != 0) return std::nullopt;
  const Reference reference(found);
  const git_oid* const target = git_reference_target(reference.get());  // null when symbolic
  return target == nullptr ? std::nullopt : std::optional(cooked(*target));
}

core::Result<git::Refs, std::string> Repository::heads_and_tags() const {
  return refs(std::array{git::RefName::Space::Heads, git::RefName::Space::Tags});
}

std::optional<git::RefName> Repository::head() const {
  git_reference* found = nullptr;
  if (git_reference_lookup(&found, repository_.get(), "HEAD") != 0) return std::nullopt;
  const Reference reference(found);
  const char* const target = git_reference_symbolic_target(reference.get());
  return target == nullptr ? std::nullopt : git::RefName::parse(target);
}

bool Repository::has(const git::Oid& oid) const {
  const Odb odb = odb_of(repository_.get());
  const git_oid id = raw(oid);
  return odb && git_odb_exists(odb.get(), &id) == 1;
}

bool Repository::has_commit(const git::Oid& oid) const {
  const Odb odb = odb_of(repository_.get());
  const git_oid id = raw(oid);
  std::size_t size = 0;
  git_object_t type = GIT_OBJECT_INVALID;
  return odb && git_odb_read_header(&size, &type, odb.get(), &id) == 0 && type == GIT_OBJECT_COMMIT;
}

std::vector<git::Oid> Repository::missing(std::span<const git::Oid> oids) const {
  const std::set<git::Oid> wanted(oids.begin(), oids.end());
  std::vector<git::Oid> missing(wanted.begin(), wanted.end());
  const Odb odb = odb_of(repository_.get());
  if (!odb) return missing;
  git_odb_refresh(odb.get());  // once, and not for each that is missing
  std::erase_if(missing, [&](const git::Oid& oid) {
    const git_oid id = raw(oid);
    return git_odb_exists_ext(odb.get(), &id, GIT_ODB_LOOKUP_NO_REFRESH) == 1;
  });
  return missing;
}

std::vector<git::Oid> Repository::missing(const git::Refs& refs) const {
  std::vector<git::Oid> oids;
  oids.reserve(refs.size());
  for (const auto& [ref, oid] : refs) oids.push_back(oid);
  return missing(oids);
}

}  // namespace graspd::gitio
