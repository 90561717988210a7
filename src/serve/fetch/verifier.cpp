#include "serve/fetch/verifier.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/counted.h"
#include "core/log.h"
#include "gitio/maintenance.h"
#include "gitio/remote_refs.h"
#include "net/clock.h"
#include "serve/fetch/fetch_driver.h"
#include "serve/fetch/fetch_survey.h"
#include "serve/fetch/verification_words.h"
#include "serve/runtime/random.h"

namespace graspd::serve {
namespace {

using grasp::Coordinate;
using grasp::Identifier;
using grasp::Policy;

}  // namespace

bool Verifier::Seen::has_lost_objects() const { return serve::has_lost_objects(verification); }

std::string Verifier::Seen::words() const {
  return unreadable.empty() ? describe(verification) : "it cannot be read: " + unreadable;
}

Verifier::Verifier(VerifierOptions options, GraspHost& host, store::EventStore& store)
    : options_(std::move(options)),
      host_(host),
      store_(store),
      checks_(host.hosting()),
      plan_(options_.plan, core::Rng(random_seed())) {}

Verifier::~Verifier() { close(); }

void Verifier::open(FetchDriver* fetch) {
  fetches_ = fetch;
  recall();
  host_.watch(*this);
  worker_.emplace(1, Workers::Priority::Background);
  watcher_.emplace(1, Workers::Priority::Background);
  worker_->post([this] { work(); });
  watcher_->post([this] { watch(); });
}

void Verifier::close() {
  if (!worker_) return;
  host_.unwatch(*this);
  {
    std::lock_guard lock(mutex_);
    stop_.request_stop();
  }
  wake_.notify_all();
  worker_->stop();
  watcher_->stop();
}

void Verifier::recall() {
  const auto here = store_.snapshot();
  if (!here) return core::log::warn("what was verified before is not known");
  const auto read =
      (*here)->notes(grasp::kVerificationPrefix, [&](std::string_view key, std::string_view value) {
        auto kept = grasp::parse_verification(key, value);
        if (!kept) return;
        const auto& [coordinate, record] = *kept;
        if (record.health.is_synced() && !record.ruling.waiting)
          host_.hosting().followed.set(coordinate, record.ruling.version.id);
        plan_.restore(*std::move(kept));
      });
  if (!read) core::log::warn("what was verified before is not known");
}

void Verifier::work() {
  std::unique_lock lock(mutex_);
  own_threads_.insert(std::this_thread::get_id());
  while (!stop_.stop_requested()) {
    const core::Now now = net::now();
    const auto task = plan_.begin(now);
    if (!task) {
      // Whoever changes the plan wakes us.
      const auto next = plan_.next_at().value_or(now.instant + options_.check_interval);
      wake_.wait_for(lock, std::max(core::Duration(1), next - now.instant));
      continue;
    }
    lock.unlock();
    perform(*task);
    write_notes();
    lock.lock();
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
  const Pulls pulls = carried(coordinate);
  const Pulls lost = astray(coordinate, pulls);
  if (seen->ok()) take(coordinate, *checks_.check(coordinate));
  if (seen->ok() && lost.empty()) {
    repair(coordinate, *seen, {});
    return conclude(*before, *seen, false);
  }
  std::vector<nostr::EventId> ids;
  for (const grasp::PullRequest& pull : lost) ids.push_back(pull.id);
  host_.hosting().restore_folder(coordinate);
  host_.alignments().align(coordinate, {}, ids);  // R1
  if (seen->ok()) {
    const Pulls gone = astray(coordinate, lost);
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
  take(coordinate, *checks_.check(coordinate));
  repair(coordinate, *again, damaged(coordinate, *again, pulls));
  conclude(*after, *again, set_right);
}

std::optional<Verifier::Declared> Verifier::declared(const Coordinate& coordinate) {
  return declared_data(host_.hosting(), coordinate);
}

// Nothing: we are to stop.
std::optional<Verifier::Seen> Verifier::see(const Coordinate& coordinate,
                                            const Declared& declared) const {
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
  host_.hosting().incomplete.set(coordinate, is_incomplete);
  tell(coordinate, seen);
  const bool is_damaged = is_incomplete || !pulls.empty();
  if (!fetches_) return;
  {
    std::lock_guard lock(mutex_);
    if (is_damaged)
      ordered_.insert(coordinate);
    else if (ordered_.erase(coordinate) == 0)
      return;
  }
  if (!is_damaged) drop_doubles(coordinate);
  fetches_->repair(coordinate, {is_incomplete ? seen.verification.tips : std::vector<git::Oid>(),
                                std::move(pulls)});
}

// What was fetched again lies beside what was there, and both count.
void Verifier::drop_doubles(const Coordinate& coordinate) {
  Hosting& hosting = host_.hosting();
  if (hosting.options.repository_bytes_max == 0) return;
  const auto kept = hosting.packs.lock(hosting.key(coordinate));
  const auto guard = hosting.repos.lock(hosting.key(coordinate));
  const auto done = gitio::maintain(hosting.path(coordinate), {.force = true});
  if (!done) core::log::warn("maintenance of {} failed: {}", hosting.key(coordinate), done.error());
}

void Verifier::tell(const Coordinate& coordinate, const Seen& seen) const {
  const std::string key = coordinate.path();
  {
    std::lock_guard lock(mutex_);
    if (plan_.is_lacking(coordinate)) return;  // that was told already
  }
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

void Verifier::conclude(const Declared& declared, const Seen& seen, bool set_right) {
  grasp::Looked look{.ruling = declared.ruling,
                     .declares = declared.state.has_value(),
                     .problem = seen.words(),
                     .set_right = set_right,
                     .made_from = seen.made_from};
  const bool is_moved = !seen.unreadable.empty() || has_wrong_refs(seen.verification);
  look.behind = why_behind(declared.ruling, is_moved);
  std::lock_guard lock(mutex_);
  plan_.looked(net::now(), look);
}

void Verifier::compare(const grasp::VerificationTask& task) {
  const auto declares = declared(task.repo);
  if (!declares) return forget(task.repo);
  const auto peers = fetch_sources_of(*host_.hosting().known(), task.repo, options_.own);
  const auto not_compared = [&](bool was_asked) {
    std::lock_guard lock(mutex_);
    plan_.not_compared(net::now(), was_asked);
  };
  if (!declares->state) return not_compared(false);
  for (std::size_t i = 0; i < peers.size(); ++i) {
    const git::FetchUrl& url = peers[(task.chance + i) % peers.size()].url;
    const auto served = visit(url);
    if (!served) continue;
    if (!*served) {
      core::log::debug("git: {} does not list its refs: {}", url.text(), served->error().text);
      return not_compared(true);
    }
    const auto difference = gitio::compare(declares->state->refs, **served, options_.verify);
    std::lock_guard lock(mutex_);
    return plan_.compared(net::now(), {url.text(), net::now().unix_seconds, describe(difference)});
  }
  not_compared(false);
}

// Nothing: it is not to be asked now.
std::optional<core::Result<gitio::RemoteRefs, git::FetchError>> Verifier::visit(
    const git::FetchUrl& peer) const {
  if (fetches_) return fetches_->visit(peer, stop_.get_token());
  return gitio::read_remote_refs(peer, options_.read, stop_.get_token());
}

void Verifier::forget(const Coordinate& coordinate) {
  bool is_ordered = false;
  {
    std::lock_guard lock(mutex_);
    plan_.forget(coordinate);
    is_ordered = ordered_.erase(coordinate) > 0;
  }
  if (is_ordered) fetches_->repair(coordinate, {});
  host_.hosting().incomplete.set(coordinate, false);
}

void Verifier::write_notes() {
  std::vector<store::Note> notes;
  {
    std::lock_guard lock(mutex_);
    notes = plan_.take_notes();
  }
  if (notes.empty()) return;
  store::Changes changes(std::move_iterator(notes.begin()), std::move_iterator(notes.end()));
  host_.hosting().ingest->admit({{}, std::move(changes)});
}

std::optional<grasp::GitHealth> Verifier::health(const Coordinate& coordinate) const {
  std::lock_guard lock(mutex_);
  auto found = plan_.find(coordinate);
  // Where nobody looks there is nothing to tell, unless something is wrong.
  if (found && !options_.plan.looks && !found->is_broken()) return std::nullopt;
  return found;
}

grasp::VerificationTotals Verifier::totals() const {
  std::lock_guard lock(mutex_);
  return plan_.totals();
}

std::vector<grasp::VerificationTrouble> Verifier::troubles(std::size_t max) const {
  std::lock_guard lock(mutex_);
  return plan_.troubles(max);
}

grasp::VerificationMeter Verifier::meter() const {
  std::lock_guard lock(mutex_);
  return plan_.meter();
}

}  // namespace graspd::serve
