#include "serve/host/push_target.h"

#include <algorithm>

#include "gitio/repository.h"
#include "net/clock.h"

namespace graspd::serve {

bool PushCheck::accepted() const {
  return std::ranges::none_of(verdicts, [](const git::CommandVerdict& verdict) {
    return std::holds_alternative<git::Refuse>(verdict);
  });
}

bool PushCheck::nothing_to_do() const {
  return std::ranges::all_of(verdicts, [](const git::CommandVerdict& verdict) {
    return std::holds_alternative<git::AlreadyThere>(verdict);
  });
}

std::vector<git::Result> PushCheck::refusals(const git::PushRequest& request) const {
  std::vector<git::Result> results;
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    const auto* refuse = std::get_if<git::Refuse>(&verdicts[i]);
    results.push_back({request.commands[i].ref,
                       refuse ? refuse->reason : "the push is refused because of another ref"});
  }
  return results;
}

std::vector<git::Oid> PushTarget::unknown(const grasp::Coordinate& target,
                                          const std::vector<git::Oid>& oids) const {
  std::vector<git::Oid> unknown = oids;
  const auto repository = gitio::Repository::open(path(target));
  std::erase_if(unknown, [&](const git::Oid& oid) { return repository && repository->has(oid); });
  return unknown;
}

std::vector<PullScope> pulls_in(const git::PushRequest& request) {
  std::vector<PullScope> pulls;
  for (const git::Command& command : request.commands) {
    if (command.ref.space() != git::RefName::Space::Nostr) continue;
    if (const auto id = nostr::EventId::from_hex(command.ref.short_name())) pulls.push_back({*id});
  }
  return pulls;
}

grasp::BeingPushed PushTarget::being_pushed(const grasp::Coordinate&,
                                            const git::PushRequest& request) const {
  grasp::BeingPushed push;
  for (const PullScope& pull : pulls_in(request)) push.pulls.push_back(pull.id);
  return push;
}

std::vector<git::Result> PushTarget::refuse(const git::PushRequest& request,
                                            const std::string& reason) const {
  return git::refuse_all(request.commands, reason);
}

std::optional<git::Oid> not_a_commit(const git::PushRequest& request,
                                     const gitio::Staging& staging) {
  const auto received = gitio::Repository::open(staging.path());
  for (const git::Command& command : request.commands) {
    if (command.is_delete() || command.ref.space() == git::RefName::Space::Tags) continue;
    if (!received || !received->has_commit(command.new_oid)) return command.new_oid;
  }
  return std::nullopt;
}

std::uint64_t upload_space(Hosting& hosting, const grasp::Coordinate& target, bool in_pr_repository,
                           const core::IpAddress& from) {
  constexpr std::uint64_t kMost = 1ULL << 42, kLeast = 1ULL << 16;
  grasp::Upload largest{.repo = target, .in_pr_repository = in_pr_repository, .from = from};
  const auto known = hosting.known();
  for (std::uint64_t more = kMost; more >= kLeast; more /= 2) {
    largest.bytes += more;
    if (!known->purgatory().uploads().has_space(largest)) largest.bytes -= more;
  }
  return largest.bytes;
}

std::optional<std::string> quarantine(Hosting& hosting, const UnsignedRef& ref,
                                      gitio::Staging& staging) {
  grasp::Upload upload{.token = staging.token(),
                       .repo = ref.target,
                       .event = ref.event,
                       .commit = ref.commit,
                       .bytes = staging.bytes(),
                       .in_pr_repository = ref.in_pr_repository,
                       .from = ref.from};
  if (!hosting.known()->purgatory().uploads().has_space(upload))
    return std::string(kNoSpaceForUploads);
  if (auto kept = staging.keep(); !kept) return "the server could not keep the objects";
  std::vector<std::string> gone;
  const bool is_noted = hosting.change_and_wait(
      [&](grasp::Policy& policy, core::UnixSeconds now, grasp::Transition& changes) {
        upload.expires = policy.purgatory().upload_deadline(now);
        gone = policy.purgatory().put_upload(upload, changes);
      });
  if (!is_noted) return "the server could not keep a record of it";
  for (const std::string& token : gone)
    if (auto other = gitio::Staging::reopen(hosting.options.root, token)) other->discard();
  return std::nullopt;
}

}  // namespace graspd::serve
