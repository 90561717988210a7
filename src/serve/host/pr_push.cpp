#include "serve/host/pr_push.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/log.h"
#include "gitio/removal.h"

namespace graspd::serve {
namespace {

using grasp::Coordinate;

constexpr std::string_view kPrefix = "GRASP-06: ";

std::string said(std::string_view reason) { return fmt::format("{}{}", kPrefix, reason); }
git::Refuse refused(std::string_view reason) { return git::Refuse{said(reason)}; }

std::string other_ref(const git::RefName& ref) {
  return said(fmt::format("only pushes to refs/nostr/<event-id> are accepted ({})", ref.text()));
}

bool is_quarantined(const PushCheck& check, const git::Command& command) {
  return std::ranges::find(check.unsigned_refs, command) != check.unsigned_refs.end();
}

}  // namespace

std::string PrPush::key(const Coordinate& pr_repository) const {
  return hosting_.pr_repositories.key(pr_repository);
}

std::filesystem::path PrPush::path(const Coordinate& pr_repository) const {
  return hosting_.pr_repositories.shown(pr_repository);
}

std::optional<std::string> PrPush::closed(const Coordinate& pr_repository) const {
  if (hosting_.is_low_on_disk()) return said(kLowOnDisk);
  const auto full = hosting_.pr_repositories.full(pr_repository);
  if (full) return said(*full);
  if (!hosting_.known()->takes_pr_repository(pr_repository))
    return said("this server does not take pull requests from you here");
  return std::nullopt;
}

git::ReceiveLimits PrPush::limits(const Coordinate& pr_repository) const {
  git::ReceiveLimits limits = hosting_.options.receive;
  const auto left = hosting_.pr_repositories.bytes_left(pr_repository);
  if (!left) return limits;
  const auto some = std::max<std::uint64_t>(*left, 1);  // 0 would be no limit
  if (limits.pack_bytes_max == 0 || some < limits.pack_bytes_max) limits.pack_bytes_max = some;
  return limits;
}

std::optional<std::uint64_t> PrPush::space(const Coordinate& pr_repository,
                                           const Uploader& uploader) const {
  const auto left = hosting_.pr_repositories.bytes_left(pr_repository);
  if (!uploader) return left;
  const auto for_uploads = upload_space(hosting_, pr_repository, true, *uploader);
  return std::min(left.value_or(for_uploads), for_uploads);
}

std::string PrPush::beyond_quota(const Coordinate& pr_repository) const {
  return said(fmt::format("the push is larger than the {} KiB left here for your pull requests",
                          hosting_.pr_repositories.bytes_left(pr_repository).value_or(0) >> 10));
}

std::vector<git::Result> PrPush::refuse(const git::PushRequest& request,
                                        const std::string& reason) const {
  std::vector<git::Result> results;
  results.reserve(request.commands.size());
  const std::string all = reason.starts_with(kPrefix) ? reason : said(reason);
  for (const git::Command& command : request.commands)
    results.push_back({command.ref, pull_of(command.ref) ? all : other_ref(command.ref)});
  return results;
}

std::string PrPush::refusal(const std::string& reason) const { return said(reason); }

PushCheck PrPush::check(const Coordinate& pr_repository, const git::PushRequest& request) {
  PushCheck check{.from = request.from};
  for (const git::Command& command : request.commands)
    check.verdicts.push_back(judge(pr_repository, command, check));
  const bool alone = check.unsigned_refs.empty() || request.commands.size() == 1;
  if (alone || !check.accepted()) return check;
  check.verdicts.assign(
      request.commands.size(),
      refused("push one refs/nostr ref at a time while its event is not published"));
  return check;
}

git::CommandVerdict PrPush::judge(const Coordinate& pr_repository, const git::Command& command,
                                  PushCheck& check) const {
  const auto id = pull_of(command.ref);
  if (!id) return git::Refuse{other_ref(command.ref)};
  const auto here = hosting_.pr_repositories.find(pr_repository, *id);
  if (command.is_delete() && !here) return git::AlreadyThere{};
  if (command.is_delete()) return refused("refs/nostr refs go when their event is deleted");
  if (here == command.new_oid) return git::AlreadyThere{};

  if (const auto pull = hosting_.find_pull(*id)) {
    const auto known = hosting_.known();
    if (const auto fault = known->pr_repository_fault(*pull, pr_repository, command.new_oid))
      return refused(*fault);
    check.signed_tips.push_back(command.new_oid);
    return git::Apply{};
  }
  if (hosting_.is_stored(*id))
    return refused(fmt::format("event {} is not a pull request", id->hex()));
  if (!hosting_.known()->purgatory().uploads().has_space({.token = {},
                                                          .repo = pr_repository,
                                                          .event = *id,
                                                          .commit = command.new_oid,
                                                          .in_pr_repository = true,
                                                          .from = check.from}))
    return refused("too many uploads wait for their events; publish the event first");
  check.unsigned_refs.push_back(command);
  return git::Apply{};
}

std::vector<git::Result> PrPush::deliver(const Coordinate& pr_repository,
                                         const git::PushRequest& request,
                                         std::optional<gitio::Staging> staging) {
  const PushCheck now = check(pr_repository, request);
  if (!now.accepted()) return now.refusals(request);
  if (now.nothing_to_do()) return outcome(pr_repository, request, now);
  if (staging)
    if (const auto failure = take_in(pr_repository, request, now, *std::move(staging)))
      return refuse(request, *failure);
  alignments_.align(pr_repository.identifier, {.repos = {}, .pulls = pulls_in(request)});
  return outcome(pr_repository, request, now);
}

std::optional<std::string> PrPush::take_in(const Coordinate& pr_repository,
                                           const git::PushRequest& request, const PushCheck& check,
                                           gitio::Staging staging) {
  if (const auto other = not_a_commit(request, staging))
    return fmt::format("{} is not a commit", other->hex());
  for (std::size_t i = 0; i < request.commands.size(); ++i) {
    const git::Command& command = request.commands[i];
    if (!std::holds_alternative<git::Apply>(check.verdicts[i])) continue;
    const auto id = *pull_of(command.ref);
    if (is_quarantined(check, command))
      return quarantine(hosting_, {pr_repository, true, id, command.new_oid, request.from},
                        staging);
    if (const auto put = hosting_.pr_repositories.put(pr_repository, id, command.new_oid, staging);
        !put) {
      core::log::error("cannot take a push into {}: {}", key(pr_repository), put.error());
      return "the server could not keep the objects";
    }
  }
  return std::nullopt;
}

std::vector<git::Result> PrPush::outcome(const Coordinate& pr_repository,
                                         const git::PushRequest& request,
                                         const PushCheck& check) const {
  std::vector<git::Result> results;
  for (const git::Command& command : request.commands) {
    const auto here = hosting_.pr_repositories.find(pr_repository, *pull_of(command.ref));
    const bool good = command.is_delete() ? !here : here == command.new_oid;
    results.push_back({command.ref, std::nullopt});
    if (!good && !is_quarantined(check, command))
      results.back().refusal = said("the event was deleted meanwhile");
  }
  return results;
}

}  // namespace graspd::serve
