#include "serve/host/pull_refs.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <fstream>

#include "core/log.h"
#include "gitio/files.h"
#include "gitio/ref_store.h"
#include "gitio/repository.h"
#include "net/clock.h"

namespace graspd::serve {
namespace {

using grasp::PullRequest;

constexpr std::array kPullSpace{git::RefName::Space::Nostr};
constexpr const char* kNewestPullFile = "graspd-pulls-floor";

}  // namespace

PullRefs::PullRefs(Hosting& hosting, grasp::Coordinate repo)
    : hosting_(hosting), repo_(std::move(repo)) {}

std::set<nostr::PublicKey> PullRefs::members() const {
  const auto known = hosting_.known();
  const auto& members = known->catalog().authority(repo_).members;
  return {members.begin(), members.end()};
}

grasp::PullStatuses PullRefs::statuses(std::span<const PullRequest* const> pulls,
                                       const std::set<nostr::PublicKey>& members) const {
  const auto here = hosting_.store.snapshot();
  if (!here) return {};
  auto said = grasp::pull_statuses(pulls, members, **here, net::now().unix_seconds);
  return said ? *std::move(said) : grasp::PullStatuses();
}

std::set<nostr::EventId> PullRefs::unwanted(const std::vector<const PullRequest*>& pulls) const {
  const auto members = this->members();
  const auto said = statuses(pulls, members);
  const auto newest_seen = this->newest_seen();
  std::set<nostr::EventId> unwanted;
  for (const PullRequest* pull : pulls) {
    const auto status = said.find(pull->id);
    const bool is_closed = status != said.end() && status->second == grasp::PullStatus::Closed;
    const bool is_open = status == said.end() || status->second == grasp::PullStatus::Open;
    const bool is_below =
        newest_seen && is_open && !members.contains(pull->author) && newest_seen->covers(*pull);
    if (is_closed || is_below) unwanted.insert(pull->id);
  }
  return unwanted;
}

bool PullRefs::is_closed(const PullRequest& pull) const {
  const PullRequest* const one[] = {&pull};
  const auto said = statuses(one, members());
  const auto status = said.find(pull.id);
  return status != said.end() && status->second == grasp::PullStatus::Closed;
}

std::optional<std::string> PullRefs::why_unwanted(const PullRequest& pull) const {
  if (unwanted({&pull}).empty()) return std::nullopt;
  if (is_closed(pull)) return "a maintainer has closed this pull request";
  return "newer pull requests have taken the place of this one; publish an update of it (kind "
         "1619) and push that";
}

void PullRefs::added(std::size_t count) {
  const std::size_t max = hosting_.options.pull_refs_max;
  if (max == 0) return;
  auto all = hosting_.pull_refs.add(hosting_.key(repo_), count);
  if (!all) {
    const auto repository = gitio::Repository::open(hosting_.path(repo_));
    const auto refs = repository ? repository->refs(kPullSpace) : git::Refs();
    all = refs ? refs->size() : 0;
    hosting_.pull_refs.set(hosting_.key(repo_), *all);
  }
  if (*all <= max) return;
  const auto selection = grasp::select_pulls(entries(), max);
  const std::size_t gone = carry_out(selection);
  if (gone > 0)
    core::log::warn(
        "git: {} has more than {} refs of pull requests by contributors: the oldest {} are dropped "
        "(NGIT_MAX_PULL_REQUEST_REFS)",
        hosting_.key(repo_), max, gone);
}

std::size_t PullRefs::drop_oldest(std::size_t count) {
  return carry_out(grasp::drop_pulls(entries(), count));
}

std::size_t PullRefs::strangers() const {
  const auto all = entries();
  return static_cast<std::size_t>(
      std::ranges::count_if(all, [](const grasp::PullEntry& entry) { return !entry.is_members; }));
}

std::vector<git::Oid> PullRefs::tips_of_members() const {
  std::vector<git::Oid> tips;
  for (const grasp::PullEntry& entry : entries())
    if (entry.is_members && entry.pull->commit) tips.push_back(*entry.pull->commit);
  return tips;
}

std::vector<grasp::PullEntry> PullRefs::entries() const {
  const auto repository = gitio::Repository::open(hosting_.path(repo_));
  const auto refs = repository ? repository->refs(kPullSpace) : git::Refs();
  if (!refs) return {};
  std::vector<grasp::PullEntry> entries;
  for (const auto& [ref, oid] : *refs)
    if (const auto id = pull_of(ref)) entries.push_back({*id, hosting_.find_pull(*id)});
  std::vector<const PullRequest*> pulls;
  for (const auto& entry : entries)
    if (entry.pull) pulls.push_back(&*entry.pull);
  const auto members = this->members();
  const auto said = statuses(pulls, members);
  for (auto& entry : entries) {
    entry.is_members = entry.pull && members.contains(entry.pull->author);
    if (const auto at = said.find(entry.id); at != said.end()) entry.status = at->second;
  }
  return entries;
}

std::size_t PullRefs::carry_out(const grasp::PullSelection& selection) {
  if (selection.newest_seen) raise_newest_seen(*selection.newest_seen);
  const bool done = drop(selection.dropped);
  hosting_.pull_refs.set(hosting_.key(repo_),
                         selection.strangers_left + (done ? 0 : selection.dropped.size()));
  if (done) hosting_.pull_refs.dropped += selection.dropped.size();
  return done ? selection.dropped.size() : 0;
}

bool PullRefs::drop(const std::vector<nostr::EventId>& ids) {
  const auto repository = gitio::Repository::open(hosting_.path(repo_));
  if (!repository) return false;
  git::RefTransaction transaction;
  for (const nostr::EventId& id : ids)
    if (const auto at = repository->find(pull_ref(id)))
      transaction.updates.push_back({pull_ref(id), at, std::nullopt});
  if (transaction.empty()) return false;
  const auto done = gitio::apply(hosting_.path(repo_), transaction);
  hosting_.own_bytes.forget(hosting_.key(repo_));
  hosting_.pull_refs.left_garbage(hosting_.key(repo_), net::now().instant);
  if (!done) core::log::error("cannot remove refs in {}: {}", hosting_.key(repo_), done.error());
  return static_cast<bool>(done);
}

std::optional<grasp::NewestPull> PullRefs::newest_seen() const {
  std::ifstream file(hosting_.path(repo_) / kNewestPullFile);
  std::string id;
  grasp::NewestPull newest_seen;
  if (!(file >> newest_seen.created_at >> id)) return std::nullopt;
  const auto parsed = nostr::EventId::from_hex(id);
  if (!parsed) return std::nullopt;
  newest_seen.id = *parsed;
  return newest_seen;
}

void PullRefs::raise_newest_seen(const grasp::NewestPull& newest) const {
  if (const auto now = newest_seen(); now && *now >= newest) return;
  const auto path = hosting_.path(repo_) / kNewestPullFile;
  auto draft = path;
  draft += ".lock";  // what a crash leaves of it is cleared away as git's own locks are
  const std::string text = fmt::format("{} {}\n", newest.created_at, newest.id.hex());
  auto written = gitio::write_file(draft, text, gitio::Sync::Yes);
  if (written) written = gitio::put_in_place(draft, path);
  if (!written) core::log::warn("{}", written.error());
}

}  // namespace graspd::serve
