#include "serve/fetch/verifier.h"

#include "core/counted.h"
#include "core/log.h"
#include "gitio/remote_refs.h"
#include "serve/fetch/fetch_driver.h"
#include "serve/fetch/fetch_survey.h"
#include "serve/fetch/verification_words.h"

namespace graspd::serve {

using grasp::Coordinate;

bool Verifier::Seen::has_lost_objects() const { return serve::has_lost_objects(verification); }

std::string Verifier::Seen::words() const {
  return unreadable.empty() ? describe(verification) : "it cannot be read: " + unreadable;
}

Verifier::Verifier(VerifierOptions options, GraspHost& host)
    : options_(std::move(options)),
      host_(host),
      pulls_(host.hosting()),
      plan_(options_.plan, host.hosting()),
      repairs_(host.hosting()),
      losses_(options_.check_interval, !options_.plan.looks, host, plan_, repairs_) {}

Verifier::~Verifier() { close(); }

void Verifier::open(FetchDriver* fetches) {
  fetches_ = fetches;
  repairs_.open(fetches);
  plan_.restore();
  losses_.open(stop_.get_token());
  worker_.emplace(1, Workers::Priority::Background);
  worker_->post([this] { work(); });
}

void Verifier::close() {  // R4
  if (!worker_) return;
  stop_.request_stop();
  losses_.close();
  worker_->stop();
}

std::optional<std::string> Verifier::known_loss(const Coordinate& coordinate) const {
  return losses_.known_loss(coordinate);
}

std::string Verifier::look_for_loss(const Coordinate& coordinate) {
  return losses_.look_for_loss(coordinate);
}

std::optional<grasp::GitHealth> Verifier::health(const Coordinate& coordinate) const {
  return plan_.health(coordinate);
}

void Verifier::work() {
  losses_.add_own_thread();
  while (const auto task = plan_.take_task(stop_.get_token())) {
    perform(*task);
    plan_.publish();
  }
}

void Verifier::perform(const grasp::VerificationTask& task) {
  switch (task.kind) {
    case grasp::VerificationTask::Kind::Look:
      return look(task.repo);
    case grasp::VerificationTask::Kind::Compare:
      return compare(task);
  }
}

void Verifier::look(const Coordinate& coordinate) {
  const auto before = declared(coordinate);
  if (!before) return forget(coordinate);
  const bool followed =
      before->state && host_.hosting().followed.contains(coordinate, before->state->id);
  auto seen = see(coordinate, *before);
  if (!seen) return;
  if (seen->ok() && before->state) host_.hosting().followed.set(coordinate, before->state->id);
  const Pulls pulls = pulls_.of(coordinate);
  const Pulls lost = pulls_.astray(coordinate, pulls);
  if (seen->ok()) losses_.check(coordinate);
  if (seen->ok() && lost.empty()) {
    repair(coordinate, *seen, {});
    return conclude(*before, *seen, false);
  }
  std::vector<nostr::EventId> ids;
  for (const grasp::PullRequest& pull : lost) ids.push_back(pull.id);
  host_.hosting().restore_folder(coordinate);
  host_.alignments().align(coordinate, {}, ids);  // R1
  if (seen->ok()) {
    const Pulls gone = pulls_.astray(coordinate, lost);
    core::log::warn("git: {} has lost refs of pull requests: {}, of which {} {} set again",
                    host_.hosting().key(coordinate), lost.size(), lost.size() - gone.size(),
                    core::numbered(lost.size() - gone.size(), "is", "are"));
    repair(coordinate, *seen, gone);
    return conclude(*before, *seen, gone.empty());
  }
  const auto after = declared(coordinate);
  if (!after) return forget(coordinate);
  const auto again = see(coordinate, *after);
  if (!again) return;
  const bool set_right = followed && again->ok() && after->is_as_in(*before);  // R2
  if (set_right)
    core::log::warn(
        "git: {} was not as signed, and is set right: {}; does somebody else write to "
        "the folder of repositories?",
        host_.hosting().key(coordinate), seen->words());
  losses_.check(coordinate);
  repair(coordinate, *again,
         again->has_lost_objects() ? pulls_.lost_first(coordinate, pulls)
                                   : pulls_.astray(coordinate, pulls));
  conclude(*after, *again, set_right);
}

std::optional<DeclaredData> Verifier::declared(const Coordinate& coordinate) const {
  return declared_data(host_.hosting(), coordinate);
}

// Nothing: we are to stop.
std::optional<Verifier::Seen> Verifier::see(const Coordinate& coordinate,
                                            const DeclaredData& declared) const {
  if (!declared.state) return Seen{};
  gitio::VerifyOptions options = options_.verify;
  options.stop = stop_.get_token();
  // Before: what changes meanwhile is not seen.
  const auto made_from = gitio::fingerprint(host_.hosting().path(coordinate));
  auto verified = gitio::verify(host_.hosting().shown(coordinate), declared.state->refs,
                                declared.state->head, options);
  if (stop_.stop_requested()) return std::nullopt;
  if (!verified) return Seen{{}, std::move(verified).error()};
  return Seen{*std::move(verified), {}, made_from ? std::optional(*made_from) : std::nullopt};
}

// R1. What it has of the history cannot be believed: all of it is fetched.
void Verifier::repair(const Coordinate& coordinate, const Seen& seen, Pulls pulls) {
  const bool is_incomplete = seen.has_lost_objects();
  tell(coordinate, seen);
  repairs_.set(
      coordinate, is_incomplete,
      {is_incomplete ? seen.verification.tips : std::vector<git::Oid>(), std::move(pulls)});
}

void Verifier::tell(const Coordinate& coordinate, const Seen& seen) const {
  const std::string key = coordinate.path();
  if (plan_.is_lacking(coordinate)) return;  // that was told already
  if (seen.has_lost_objects())
    core::log::warn(
        "git: {} has lost objects: {}; {}push it once more, or restore a backup", key, seen.words(),
        fetches_
            ? "they are fetched again from the servers its announcement names; if none has them, "
            : "");
  else if (!seen.ok())
    core::log::warn(
        "git: {} is not as signed: {}; look whether its folder can be read and "
        "written; if it is removed, all of it is fetched again",
        key, seen.words());
}

void Verifier::conclude(const DeclaredData& declared, const Seen& seen, bool set_right) {
  grasp::Looked look{.ruling = declared.ruling,
                     .declares = declared.state.has_value(),
                     .problem = seen.words(),
                     .set_right = set_right,
                     .made_from = seen.made_from};
  const bool is_moved = !seen.unreadable.empty() || has_wrong_refs(seen.verification);
  look.behind = why_behind(declared.ruling, is_moved);
  plan_.looked(look);
}

void Verifier::compare(const grasp::VerificationTask& task) {
  const auto declares = declared(task.repo);
  if (!declares) return forget(task.repo);
  const auto peers = fetch_sources_of(*host_.hosting().known(), task.repo, options_.own);
  if (!declares->state) return plan_.not_compared(false);
  for (std::size_t i = 0; i < peers.size(); ++i) {
    const git::FetchUrl& url = peers[(task.chance + i) % peers.size()].url;
    const auto served = visit(url);
    if (!served) continue;
    if (!*served) {
      core::log::debug("git: {} does not list its refs: {}", url.text(), served->error().text);
      return plan_.not_compared(true);
    }
    const auto difference = gitio::compare(declares->state->refs, **served, options_.verify);
    return plan_.compared(url.text(), describe(difference));
  }
  plan_.not_compared(false);
}

// Nothing: it is not to be asked now.
std::optional<core::Result<gitio::RemoteRefs, git::FetchError>> Verifier::visit(
    const git::FetchUrl& peer) const {
  if (fetches_) return fetches_->visit(peer, stop_.get_token());
  return gitio::read_remote_refs(peer, options_.read, stop_.get_token());
}

void Verifier::forget(const Coordinate& coordinate) {
  plan_.forget(coordinate);
  repairs_.forget(coordinate);
}

}  // namespace graspd::serve
