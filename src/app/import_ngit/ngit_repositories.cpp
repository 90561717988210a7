#include "app/import_ngit/ngit_repositories.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unistd.h>

#include "gitio/files.h"
#include "gitio/ref_store.h"
#include "gitio/repository.h"
#include "gitio/share.h"
#include "gitio/skeleton.h"
#include "grasp/coordinate.h"
#include "grasp/pr_repository.h"
#include "nostr/nip19.h"

namespace graspd::app {
namespace {

namespace fs = std::filesystem;
using core::Done;
using core::Failure;

constexpr std::string_view kPrRepositories = "prs";

std::vector<fs::path> folders_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_directory(ignored)) found.push_back(entry->path());
  }
  return found;
}

std::optional<grasp::Coordinate> repo_at(const std::string& npub, std::string name) {
  const auto owner = nostr::nip19::parse_npub(npub);
  if (!owner || !name.ends_with(grasp::kRepositorySuffix)) return std::nullopt;
  name.resize(name.size() - grasp::kRepositorySuffix.size());
  const auto identifier = grasp::Identifier::parse(name);
  if (!identifier) return std::nullopt;
  return grasp::Coordinate{*owner, *identifier};
}

void add(std::vector<NgitRepository>& found, const fs::path& git, const fs::path& folder,
         std::string path) {
  std::error_code ignored;
  if (!fs::exists(folder / "HEAD", ignored)) return;
  NgitRepository repository{folder, std::move(path), {folder / "objects"}};
  const fs::path group = git / ".grasp" / "families" / "sha1" / folder.filename() / "objects";
  if (fs::is_directory(group, ignored)) repository.objects.push_back(group);
  found.push_back(std::move(repository));
}

using Space = git::RefName::Space;
constexpr std::array kSpaces{Space::Heads, Space::Tags, Space::Nostr};

core::Result<git::Refs, std::string> refs_of(const fs::path& path) {
  const auto repository = gitio::Repository::open(path);
  if (!repository) return Failure{repository.error()};
  return repository->refs(kSpaces);
}

// A repository without refs that sees all the objects, so that nothing of the source is run or
// believed. Swept with what pushes leave behind if this is killed.
class Lens {
 public:
  static core::Result<Lens, std::string> make(const NgitRepository& repository,
                                              const fs::path& root) {
    Lens lens(root / ".graspd" / "incoming" / ("import-" + std::to_string(::getpid()) + ".git"));
    gitio::remove_tree(lens.path_);
    auto made = gitio::write_skeleton(lens.path_, "refs/heads/none", gitio::Sync::No);
    if (!made) return Failure{made.error()};
    std::string alternates;
    for (const fs::path& folder : repository.objects) alternates += folder.string() + '\n';
    auto written = gitio::write_file(lens.path_ / "objects" / "info" / "alternates", alternates,
                                     gitio::Sync::No);
    if (!written) return Failure{written.error()};
    return lens;
  }
  Lens(Lens&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  Lens& operator=(Lens&&) = delete;
  ~Lens() {
    if (!path_.empty()) gitio::remove_tree(path_);
  }
  const fs::path& path() const { return path_; }

 private:
  explicit Lens(fs::path path) : path_(std::move(path)) {}
  fs::path path_;
};

core::Result<Done, std::string> copy(const NgitRepository& repository, const git::Refs& refs,
                                     const fs::path& root, const fs::path& to) {
  auto lens = Lens::make(repository, root);
  if (!lens) return Failure{lens.error()};
  std::vector<git::Oid> tips;
  git::RefTransaction transaction;
  for (const auto& [ref, oid] : refs) {
    tips.push_back(oid);
    transaction.updates.push_back({ref, std::nullopt, oid});
  }
  std::sort(tips.begin(), tips.end());
  tips.erase(std::unique(tips.begin(), tips.end()), tips.end());
  constexpr gitio::ShareLimits kPatient{.deadline = std::chrono::hours(6)};
  auto copied = gitio::copy_history(lens->path(), to, tips, kPatient);
  if (!copied) return Failure{copied.error()};
  return gitio::apply(to, transaction);
}

}  // namespace

std::vector<NgitRepository> ngit_repositories(const fs::path& git) {
  std::vector<NgitRepository> found;
  for (const fs::path& owner : folders_in(git)) {
    for (const fs::path& folder : folders_in(owner))
      if (const auto repo = repo_at(owner.filename(), folder.filename()))
        add(found, git, folder, repo->path());
  }
  for (const fs::path& owner : folders_in(git / kPrRepositories)) {
    for (const fs::path& folder : folders_in(owner)) {
      const auto pr_repository =
          grasp::parse_pr_repository_path(owner.filename().string(), folder.filename().string());
      if (pr_repository) add(found, git, folder, grasp::pr_repository_path(*pr_repository));
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

core::Result<Adopted, std::string> adopt(const NgitRepository& repository, const fs::path& root,
                                         const git::RefName& unborn_branch, bool commit) {
  const auto refs = refs_of(repository.from);
  if (!refs) return Failure{refs.error()};
  const fs::path to = root / repository.path;
  std::error_code ignored;
  if (fs::exists(to / "HEAD", ignored)) {
    const auto here = refs_of(to);
    if (!here) return Failure{here.error()};
    if (!here->empty()) return Adopted{Adoption::HereAlready, here->size()};
  }
  const Adopted adopted{refs->empty() ? Adoption::Empty : Adoption::Copied, refs->size()};
  if (!commit) return adopted;
  const auto source = gitio::Repository::open(repository.from);
  const auto head = source ? source->head() : std::nullopt;
  auto made = gitio::Repository::create(to, head.value_or(unborn_branch));
  if (!made) return Failure{made.error()};
  if (refs->empty()) return adopted;
  if (auto copied = copy(repository, *refs, root, to); !copied) return Failure{copied.error()};
  return adopted;
}

}  // namespace graspd::app
