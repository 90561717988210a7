#include "serve/verifier.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/log.h"
#include "gitio/maintenance.h"
#include "gitio/remote_refs.h"
#include "net/clock.h"
#include "serve/hunt_driver.h"
#include "serve/hunt_survey.h"
#include "serve/random.h"
#include "serve/verification_words.h"

namespace graspd::serve {
namespace {

using grasp::Coordinate;
using grasp::Identifier;
using grasp::Policy;

constexpr std::string_view kWaits = "a newer state waits for its git data";
constexpr std::string_view kMoved = "branches and tags are not as signed";

// Nothing, unless it is served and somebody has signed a state.
std::optional<grasp::Ruling> ruling_of(const Policy& policy, const Coordinate& view) {
  const grasp::Listing* listing = policy.catalog().find(view);
  if (!listing || !listing->hosts || listing->place != grasp::Place::Served) return std::nullopt;
  return policy.ruling(view);
}

}  // namespace

bool Verifier::Declared::is_as_in(const Declared& other) const {
  const auto id = [](const Declared& declared) {
    return declared.state ? std::optional(declared.state->id) : std::nullopt;
  };
  return ruling.version.id == other.ruling.version.id && ruling.waiting == other.ruling.waiting &&
         id(*this) == id(other);
}

bool Verifier::Seen::has_lost_objects() const { return serve::has_lost_objects(verification); }

std::string Verifier::Seen::words() const {
  return unreadable.empty() ? describe(verification) : "it cannot be read: " + unreadable;
}

Verifier::Verifier(VerifierOptions options, GraspHost& host, store::EventStore& store)
    : options_(std::move(options)),
      host_(host),
      store_(store),
      plan_(options_.plan, core::Rng(random_seed())) {}

Verifier::~Verifier() { close(); }

void Verifier::open(HuntDriver* hunt) {
  hunt_ = hunt;
  recall();
  host_.watch(*this);
  worker_.emplace(1, Workers::Priority::Background);
  worker_->post([this] { work(); });
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
}

void Verifier::recall() {
  const auto here = store_.snapshot();
  if (!here) return core::log::warn("what was verified before is not known");
  const auto read =
      (*here)->notes(grasp::kVerificationPrefix, [&](std::string_view key, std::string_view value) {
        if (auto kept = grasp::parse_verification(key, value)) plan_.restore(*std::move(kept));
      });
  if (!read) core::log::warn("what was verified before is not known");
}

void Verifier::settled(const Identifier& identifier) {
  {
    std::lock_guard lock(mutex_);
    const bool by_others = std::this_thread::get_id() != worker_id_;
    news_[identifier] |= by_others;
  }
  wake_.notify_all();
}

void Verifier::work() {
  {
    std::lock_guard lock(mutex_);
    worker_id_ = std::this_thread::get_id();
  }
  while (!stop_.stop_requested()) {
    if (list_at_ <= net::now().instant) list_all();
    take_news();
    std::unique_lock lock(mutex_);
    const auto task = plan_.begin(net::now());
    if (!task) {
      wait(lock);
      continue;
    }
    lock.unlock();
    perform(*task);
    write_notes();
  }
}

void Verifier::wait(std::unique_lock<std::mutex>& lock) {
  const core::Instant until = std::min(list_at_, plan_.next_at().value_or(list_at_));
  wake_.wait_for(lock, std::max(core::Duration(1), until - net::now().instant),
                 [this] { return stop_.stop_requested() || !news_.empty(); });
}

void Verifier::take_news() {
  std::map<Identifier, bool> news;
  {
    std::lock_guard lock(mutex_);
    news = std::exchange(news_, {});
  }
  for (const auto& [identifier, by_others] : news) {
    const auto known = host_.hosting().ask(
        [&](const Policy& policy) { return policy.catalog().views(identifier); });
    std::set<Coordinate> views(known.begin(), known.end());
    {
      std::lock_guard lock(mutex_);
      const auto listed = plan_.views(identifier);
      views.insert(listed.begin(), listed.end());
    }
    for (const Coordinate& view : views) {
      list(view);
      std::lock_guard lock(mutex_);
      if (by_others) plan_.stirred(net::now(), view);
    }
  }
}

void Verifier::list_all() {
  list_at_ = net::now().instant + options_.list_interval;
  const auto views = host_.hosting().ask([](const Policy& policy) {
    std::vector<Coordinate> all;
    for (const grasp::Listing* listing : policy.catalog().served())
      all.push_back(listing->announcement.coordinate);
    return all;
  });
  for (std::size_t at = 0; at < views.size() && !stop_.stop_requested(); ++at) list(views[at]);
  if (stop_.stop_requested()) return;
  std::lock_guard lock(mutex_);
  plan_.keep_only({views.begin(), views.end()});
}

void Verifier::list(const Coordinate& view) {
  const auto ruling =
      host_.hosting().ask([&](const Policy& policy) { return ruling_of(policy, view); });
  std::lock_guard lock(mutex_);
  if (ruling)
    plan_.list(net::now(), view, *ruling);
  else if (plan_.find(view))
    plan_.forget(view);
}

void Verifier::perform(const grasp::VerificationTask& task) {
  switch (task.kind) {
    case grasp::VerificationTask::Kind::Look:
      return look(task.view);
    case grasp::VerificationTask::Kind::Compare:
      return compare(task);
  }
}

void Verifier::look(const Coordinate& view) {
  const auto before = declared(view);
  if (!before) return forget(view);
  const bool followed = before->state && host_.hosting().followed.contains(view, before->state->id);
  auto seen = see(view, *before);
  if (!seen) return;
  if (seen->ok() && before->state) host_.hosting().followed.set(view, before->state->id);
  const Pulls pulls = carried(view);
  const Pulls lost = astray(view, pulls);
  if (seen->ok() && lost.empty()) {
    repair(view, *seen, {});
    return conclude(*before, *seen, false);
  }
  std::vector<nostr::EventId> ids;
  for (const grasp::PullRequest& pull : lost) ids.push_back(pull.id);
  host_.settle(view, {}, ids);  // R1
  if (seen->ok()) {
    const Pulls gone = astray(view, lost);
    core::log::warn("git: {} has lost refs of pull requests: {}, of which {} are set again",
                    host_.hosting().key(view), lost.size(), lost.size() - gone.size());
    repair(view, *seen, gone);
    return conclude(*before, *seen, gone.empty());
  }
  const auto after = declared(view);
  if (!after) return forget(view);
  const auto again = see(view, *after);
  if (!again) return;
  const bool set_right = followed && again->ok() && after->is_as_in(*before);  // R2
  if (set_right)
    core::log::warn(
        "git: {} was not as signed, and is set right: {}; does somebody else write to "
        "the folder of repositories?",
        host_.hosting().key(view), seen->words());
  repair(view, *again, damaged(view, *again, pulls));
  conclude(*after, *again, set_right);
}

std::optional<Verifier::Declared> Verifier::declared(const Coordinate& view) {
  return host_.hosting().ask([&](const Policy& policy) -> std::optional<Declared> {
    const auto ruling = ruling_of(policy, view);
    if (!ruling) return std::nullopt;
    Declared declared{*ruling, std::nullopt};
    const auto served = policy.catalog().served_state(view);
    if (served) declared.state = policy.find_state(served->id, view.identifier);
    const bool is_followed =
        declared.state && declared.state->satisfiable && !declared.state->refs.empty();
    if (!is_followed) declared.state.reset();
    return declared;
  });
}

// Nothing: we are to stop.
std::optional<Verifier::Seen> Verifier::see(const Coordinate& view,
                                            const Declared& declared) const {
  if (!declared.state) return Seen{};
  gitio::VerifyOptions options = options_.verify;
  options.stop = stop_.get_token();
  auto verified = gitio::verify(host_.hosting().path(view), declared.state->refs,
                                declared.state->head, options);
  if (stop_.stop_requested()) return std::nullopt;
  if (!verified) return Seen{{}, std::move(verified).error()};
  return Seen{*std::move(verified), {}};
}

// R1. What it has of the history cannot be believed: all of it is fetched.
void Verifier::repair(const Coordinate& view, const Seen& seen, Pulls pulls) {
  const bool is_lossy = seen.has_lost_objects();
  host_.hosting().lossy.set(view, is_lossy);
  tell(view, seen);
  const bool is_damaged = is_lossy || !pulls.empty();
  if (!hunt_ || (!is_damaged && ordered_.erase(view) == 0)) return;
  if (is_damaged)
    ordered_.insert(view);
  else
    drop_doubles(view);
  hunt_->repair(view,
                {is_lossy ? seen.verification.tips : std::vector<git::Oid>(), std::move(pulls)});
}

// What was fetched again lies beside what was there, and both count.
void Verifier::drop_doubles(const Coordinate& view) {
  Hosting& hosting = host_.hosting();
  if (hosting.options.repository_bytes_max == 0) return;
  const auto kept = hosting.packs.lock(hosting.key(view));
  const auto guard = hosting.views.lock(hosting.key(view));
  const auto done = gitio::maintain(hosting.path(view), {.force = true});
  if (!done) core::log::warn("maintenance of {} failed: {}", hosting.key(view), done.error());
}

void Verifier::tell(const Coordinate& view, const Seen& seen) const {
  const std::string key = view.path();
  if (seen.has_lost_objects())
    core::log::warn(
        "git: {} has lost objects: {}; {}push it once more, or restore a backup", key, seen.words(),
        hunt_ ? "they are fetched again from the servers its announcement names; if none has them, "
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
                     .set_right = set_right};
  const bool is_moved = !seen.unreadable.empty() || has_wrong_refs(seen.verification);
  if (declared.ruling.waiting)
    look.behind = kWaits;
  else if (is_moved)
    look.behind = kMoved;
  std::lock_guard lock(mutex_);
  plan_.looked(net::now(), look);
}

void Verifier::compare(const grasp::VerificationTask& task) {
  const auto declares = declared(task.view);
  if (!declares) return forget(task.view);
  const auto peers = host_.hosting().ask(
      [&](const Policy& policy) { return hunt_sources(policy, task.view, options_.own); });
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
      core::log::debug("git: {} does not say what it has: {}", url.text(), served->error().text);
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
  if (hunt_) return hunt_->visit(peer, stop_.get_token());
  return gitio::read_remote_refs(peer, options_.read, stop_.get_token());
}

void Verifier::forget(const Coordinate& view) {
  if (ordered_.erase(view) > 0) hunt_->repair(view, {});
  host_.hosting().lossy.set(view, false);
  std::lock_guard lock(mutex_);
  plan_.forget(view);
}

void Verifier::write_notes() {
  std::vector<store::Note> notes;
  {
    std::lock_guard lock(mutex_);
    notes = plan_.take_notes();
  }
  if (!notes.empty()) host_.hosting().ingest->admit({{}, {std::move(notes), {}}, nullptr});
}

std::optional<grasp::GitHealth> Verifier::health(const Coordinate& view) const {
  std::lock_guard lock(mutex_);
  const grasp::GitHealth* found = plan_.find(view);
  return found ? std::optional(*found) : std::nullopt;
}

grasp::VerificationCensus Verifier::census() const {
  std::lock_guard lock(mutex_);
  return plan_.census();
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
