#include "serve/host/repository_push.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/log.h"
#include "gitio/maintenance.h"
#include "gitio/removal.h"
#include "gitio/repository.h"
#include "gitio/share.h"
#include "serve/host/pull_refs.h"
#include "serve/host/repository_space.h"

namespace graspd::serve {
namespace {

using git::RefName;
using grasp::Coordinate;

constexpr std::string_view kMeanwhile =
    "a newer state was published meanwhile; fetch and try again";
constexpr std::string_view kStuck =
    "the server could not set its refs, none of them; it tries again, and so can you";
constexpr std::size_t kNostrPrefix = std::string_view("refs/nostr/").size();

bool is_there(const gitio::Repository& repository, const git::Command& command) {
  const auto at = repository.find(command.ref);
  return command.is_delete() ? !at : at == command.new_oid;
}

// R5.
bool is_lost(const gitio::Repository& repository, bool is_incomplete,
             const git::CommandVerdict& verdict, const git::Command& command) {
  return std::holds_alternative<git::AlreadyThere>(verdict) && !command.is_delete() &&
         (is_incomplete || !repository.has(command.new_oid));
}

std::string why_no_state(const grasp::PolicySnapshot& policy, const Coordinate& repo) {
  const auto& authority = policy.catalog().authority(repo);
  if (authority.failure)
    return fmt::format("No authorized maintainers found: {}", describe(*authority.failure));
  if (policy.purgatory().states().of(repo.identifier).empty())
    return "No state event found: publish the repository's state (kind 30618) before you push";
  return "No state event from an authorized maintainer of this repository";
}

// Where the owner says that it can be cloned, except here.
std::optional<std::string> other_server(const grasp::PolicySnapshot& policy,
                                        const Coordinate& repo) {
  const grasp::Listing* listing = policy.catalog().find(repo);
  if (!listing) return std::nullopt;
  const grasp::PolicyOptions& options = policy.rules().options();
  const auto is_ours = [&](const std::string& url) {
    return grasp::names_service(url, options.service) ||
           std::ranges::any_of(options.former_services, [&](const grasp::Service& former) {
             return grasp::names_service(url, former);
           });
  };
  const auto& clone = listing->announcement.clone;
  const auto other = std::ranges::find_if_not(clone, is_ours);
  return other == clone.end() ? std::nullopt : std::optional(*other);
}

}  // namespace

std::string RepositoryPush::key(const Coordinate& repo) const { return hosting_.key(repo); }

std::filesystem::path RepositoryPush::path(const Coordinate& repo) const {
  return hosting_.shown(repo);
}

std::string RepositoryPush::beyond_quota(const Coordinate&) const {
  return fmt::format("the push would take this repository beyond its quota of {} MiB",
                     hosting_.options.repository_bytes_max >> 20);
}

std::optional<std::string> RepositoryPush::closed(const Coordinate& repo) const {
  if (!hosting_.options.read_only) return full(repo);
  const auto elsewhere = other_server(*hosting_.known(), repo);
  if (elsewhere) return fmt::format("this server is a read-only archive; push to {}", *elsewhere);
  return "this server is a read-only archive and takes no pushes; its operator can change that "
         "(NGIT_ARCHIVE_READ_ONLY=false)";
}

// With less than this left a push would be received in vain: the smallest pack with its index.
constexpr std::uint64_t kPushBytesMin = 2048;

std::optional<std::string> RepositoryPush::full(const Coordinate& repo) const {
  if (hosting_.is_low_on_disk()) return std::string(kLowOnDisk);
  const auto quota = hosting_.options.repository_bytes_max;
  const auto left = RepositorySpace(hosting_, repo).left_for_members();
  if (left && *left < kPushBytesMin)
    return fmt::format("this repository has reached its quota of {} MiB", quota >> 20);
  return std::nullopt;
}

git::ReceiveLimits RepositoryPush::limits(const Coordinate& repo) const {
  git::ReceiveLimits limits = hosting_.options.receive;
  const auto space_left = space(repo, std::nullopt);
  if (!space_left) return limits;
  const auto left = std::max<std::uint64_t>(*space_left, 1);  // 0 would be no limit
  if (limits.pack_bytes_max == 0 || left < limits.pack_bytes_max) limits.pack_bytes_max = left;
  return limits;
}

std::optional<std::uint64_t> RepositoryPush::space(const Coordinate& repo,
                                                   const Uploader& uploader) const {
  const auto left = RepositorySpace(hosting_, repo).left_for_members();
  if (!uploader) return left;
  const auto for_uploads = upload_space(hosting_, repo, false, *uploader);
  return std::min(left.value_or(for_uploads), for_uploads);
}

// A pull request of anybody does not keep an announcement alive.
grasp::BeingPushed RepositoryPush::being_pushed(const Coordinate& repo,
                                                const git::PushRequest& request) const {
  auto push = PushTarget::being_pushed(repo, request);
  if (push.pulls.size() < request.commands.size()) push.repo = repo;
  return push;
}

// Pull requests alone, and none of somebody with a say here.
bool RepositoryPush::is_of_strangers(const Coordinate& repo,
                                     const git::PushRequest& request) const {
  std::vector<nostr::PublicKey> authors;
  for (const git::Command& command : request.commands) {
    const auto id = pull_of(command.ref);
    if (!id) return false;
    if (const auto pull = hosting_.find_pull(*id)) authors.push_back(pull->author);
  }
  const auto known = hosting_.known();
  const auto& authority = known->catalog().authority(repo);
  return std::ranges::none_of(authors,
                              [&](const auto& author) { return authority.contains(author); });
}

PushCheck RepositoryPush::check(const Coordinate& repo, const git::PushRequest& request) {
  PushCheck check{.from = request.from};
  if (hosting_.options.repository_bytes_max > 0 && is_of_strangers(repo, request)) {
    check.pulls_space = RepositorySpace(hosting_, repo).left_for_strangers();
    if (check.pulls_space == 0U) {
      check.verdicts.assign(request.commands.size(), git::Refuse{std::string(kNoSpaceForPulls)});
      return check;
    }
  }
  const auto repository = gitio::Repository::open(hosting_.shown(repo));
  const auto refs = repository ? repository->heads_and_tags()
                               : core::Result<git::Refs, std::string>(
                                     core::Failure{std::string("the repository is not there")});
  if (!refs) {
    core::log::error("cannot read the refs of {}: {}", hosting_.key(repo), refs.error());
    check.verdicts.assign(request.commands.size(), git::Refuse{"the server cannot read its refs"});
    return check;
  }
  std::vector<git::Command> branches;
  for (const git::Command& command : request.commands)
    if (command.ref.space() != RefName::Space::Nostr) branches.push_back(command);
  auto decision = check_branches(repo, *refs, branches);

  const bool is_incomplete = hosting_.incomplete.contains(repo);
  auto next_branch = decision.verdicts.begin();
  for (const git::Command& command : request.commands) {
    const bool is_branch = command.ref.space() != RefName::Space::Nostr;
    check.verdicts.push_back(is_branch ? std::move(*next_branch++)
                                       : check_nostr(repo, command, *repository, check));
    if (is_branch && is_lost(*repository, is_incomplete, check.verdicts.back(), command))
      check.verdicts.back() = git::Apply{};
    if (is_branch && !command.is_delete() &&
        std::holds_alternative<git::Apply>(check.verdicts.back()))
      check.signed_tips.push_back(command.new_oid);
  }
  return check;
}

git::PushDecision RepositoryPush::check_branches(const Coordinate& repo, const git::Refs& current,
                                                 std::span<const git::Command> commands) {
  std::optional<git::Declared> governing;
  std::string why;
  const auto ruling = hosting_.known()->ruling(repo);
  auto state = ruling ? hosting_.find_state(ruling->version.id, repo.identifier) : std::nullopt;
  if (!state)
    why = why_no_state(*hosting_.known(), repo);
  else if (!state->satisfiable)
    why = "The newest state event declares refs that no repository can have";
  else if (state->refs.empty())
    why = "The newest state event declares no refs";
  else
    governing = git::Declared{std::move(state->refs)};
  return git::authorize_branches(current, commands, governing, why);
}

git::CommandVerdict RepositoryPush::check_nostr(const Coordinate& repo, const git::Command& command,
                                                const gitio::Repository& repository,
                                                PushCheck& check) {
  const auto id = nostr::EventId::from_hex(command.ref.text().substr(kNostrPrefix));
  if (!id) return git::Refuse{"Invalid event ID format in ref: " + command.ref.text()};
  if (is_there(repository, command)) return git::AlreadyThere{};
  if (command.is_delete()) return git::Refuse{"refs/nostr refs go when their event is deleted"};

  if (const auto pull = hosting_.find_pull(*id)) {
    if (auto why = PullRefs(hosting_, repo).why_unwanted(*pull)) return git::Refuse{*why};
    if (!pull->commit || *pull->commit != command.new_oid)
      return git::Refuse{fmt::format("PR event {} specifies commit {}, but push contains {}",
                                     id->hex(), pull->commit ? pull->commit->hex() : "none",
                                     command.new_oid.hex())};
    const auto repos = hosting_.known()->repos_of(*pull);
    if (std::ranges::find(repos, repo) == repos.end())
      return git::Refuse{fmt::format("PR event {} is not about this repository", id->hex())};
    check.signed_tips.push_back(command.new_oid);
    return git::Apply{};
  }
  if (hosting_.is_stored(*id))
    return git::Refuse{fmt::format("event {} is not a pull request", id->hex())};
  if (!check.unsigned_refs.empty())
    return git::Refuse{"push one refs/nostr ref at a time while its event is not published"};
  if (!hosting_.known()->purgatory().uploads().has_space(
          {.token = {}, .repo = repo, .event = *id, .commit = command.new_oid, .from = check.from}))
    return git::Refuse{"too many uploads wait for their events; publish the event first"};
  check.unsigned_refs.push_back(command);
  return git::Apply{};
}

std::vector<git::Result> RepositoryPush::deliver(const Coordinate& repo,
                                                 const git::PushRequest& request,
                                                 std::optional<gitio::Staging> staging) {
  const PushCheck now = check(repo, request);
  if (!now.accepted()) return now.refusals(request);
  if (now.nothing_to_do()) return outcome(repo, request, now, kMeanwhile);
  RefAligner::Proven proven;
  if (staging) {
    proven = {repo, {now.signed_tips.begin(), now.signed_tips.end()}};
    if (const auto failure = take_in(repo, request, now, *std::move(staging)))
      return git::refuse_all(request.commands, *failure);
  }
  auto scope = around(*hosting_.known(), repo, hosting_.options.inline_repos_max);
  scope.pulls = pulls_in(request);
  auto settled = RefAligner(hosting_, repo.identifier).run(std::move(scope), std::move(proven));
  const bool is_stuck = settled.not_set.contains(repo);
  alignments_.follow_up(repo.identifier, std::move(settled));
  return outcome(repo, request, now, is_stuck ? kStuck : kMeanwhile);
}

std::optional<std::string> RepositoryPush::take_in(const Coordinate& repo,
                                                   const git::PushRequest& request,
                                                   const PushCheck& check, gitio::Staging staging) {
  if (const auto other = not_a_commit(request, staging))
    return fmt::format("{} is not a commit", other->hex());
  if (!check.signed_tips.empty()) {
    const auto guard = hosting_.repos.lock(hosting_.key(repo));
    std::optional<std::string> failure;
    if (auto made = hosting_.make_repository(repo); !made) {
      failure = made.error();
    } else if (check.unsigned_refs.empty()) {
      if (auto moved = staging.move_into(hosting_.path(repo)); !moved) failure = moved.error();
    } else if (auto copied =
                   gitio::copy_history(staging.path(), hosting_.path(repo), check.signed_tips);
               !copied) {
      failure = copied.error();
    }
    if (failure) {
      core::log::error("cannot take a push into {}: {}", hosting_.key(repo), *failure);
      return "the server could not keep the objects";
    }
  }
  for (const git::Command& command : check.unsigned_refs) {
    const auto id = *nostr::EventId::from_hex(command.ref.text().substr(kNostrPrefix));
    if (auto failure =
            quarantine(hosting_, {repo, false, id, command.new_oid, request.from}, staging))
      return failure;
  }
  return std::nullopt;
}

std::vector<git::Result> RepositoryPush::outcome(const Coordinate& repo,
                                                 const git::PushRequest& request,
                                                 const PushCheck& check,
                                                 std::string_view otherwise) const {
  const auto repository = gitio::Repository::open(hosting_.shown(repo));
  std::vector<git::Result> results;
  for (const git::Command& command : request.commands) {
    const bool quarantined =
        std::ranges::find(check.unsigned_refs, command) != check.unsigned_refs.end();
    const bool good = quarantined || (repository && is_there(*repository, command));
    results.push_back({command.ref, std::nullopt});
    if (!good) results.back().refusal = repository ? otherwise : "the server cannot read its refs";
  }
  return results;
}

}  // namespace graspd::serve
