#include "serve/host/grasp_host.h"

#include <algorithm>
#include <climits>
#include <fmt/format.h>

#include "core/log.h"
#include "gitio/maintenance.h"
#include "gitio/process.h"
#include "gitio/ref_store.h"
#include "gitio/removal.h"
#include "gitio/repository.h"
#include "gitio/staging.h"
#include "grasp/pull_selection.h"
#include "net/clock.h"
#include "serve/host/pull_refs.h"
#include "serve/host/source_origin.h"
#include "serve/runtime/random.h"

namespace graspd::serve {
namespace {

using grasp::Coordinate;
using grasp::Identifier;

relay::Verdict to_relay(grasp::Verdict verdict) {
  if (auto* wait = std::get_if<grasp::Wait>(&verdict)) return relay::Hold{std::move(wait->text)};
  if (auto* refuse = std::get_if<grasp::Refuse>(&verdict))
    return relay::Reject{std::move(refuse->text), refuse->reason == grasp::Reason::Passing};
  if (std::holds_alternative<grasp::LookForData>(verdict)) return relay::Defer{};
  return relay::Accept{};
}

// Below it: "/", an npub, "/", an identifier and ".git", then the longest name of a ref.
constexpr std::size_t kNpubBytes = 63;
constexpr std::size_t kRootBytesMax = PATH_MAX - 1 - git::RefName::kPathBytesMax -
                                      grasp::kIdentifierBytesMax - kNpubBytes -
                                      std::string_view("//.git").size();

}  // namespace

GraspHost::GraspHost(GraspHostOptions options, store::EventStore& store)
    : options_(std::move(options)),
      store_(store),
      hosting_(options_.hosting, options_.policy, store),
      pushes_(
          hosting_,
          [this](const Identifier& identifier, RefAligner::Result result) {
            follow_up(identifier, std::move(result));
          },
          [this](const Coordinate& view) { push_failed(view); }),
      pr_pushes_(hosting_,
                 [this](const Identifier& identifier, RefAligner::Result result) {
                   follow_up(identifier, std::move(result));
                 }),
      workers_(options_.git_threads),
      pulls_(options_.pull_threads,
             [this](const Identifier& identifier, const std::vector<nostr::EventId>& ids) {
               // Others may have released some meanwhile, in all repositories they name.
               auto scope = hosting_.ask([&](const grasp::Policy& policy) {
                 AlignmentScope waiting;
                 for (const nostr::EventId& id : ids)
                   if (policy.purgatory().pull(id)) waiting.pulls.push_back({id});
                 return waiting;
               });
               if (!scope.pulls.empty()) align(identifier, std::move(scope));
             }),
      alignments_(
          options_.alignment_threads,
          [this](const Identifier& identifier) {
            return hosting_.ask([&](const grasp::Policy& policy) {
              return slices(policy, identifier, kViewsPerSlice);
            });
          },
          [this](const Identifier& identifier, AlignmentScope slice) {
            hosting_.ask([&](const grasp::Policy& policy) { leave_out_others(policy, slice); });
            if (slice.ruled_by && slice.views.empty()) return;
            align(identifier, std::move(slice));
          }),
      stranger_ephemerals_(options_.stranger_ephemerals_per_minute),
      maintenance_(1, Workers::Priority::Background),
      thread_archive_(1, Workers::Priority::Background) {}

GraspHost::~GraspHost() { close(); }

core::Result<core::Done, std::string> GraspHost::load() {
  gitio::adopt_orphans();
  gitio::limit_processes(options_.git_process);
  std::error_code error;
  std::filesystem::create_directories(options_.hosting.root, error);
  if (error)
    return core::Failure{fmt::format("cannot make the folder for git data, {}: {}",
                                     options_.hosting.root.string(), error.message())};
  if (options_.hosting.root.native().size() > kRootBytesMax)
    return core::Failure{
        fmt::format("the path of the folder for git data has {} bytes, and the names of refs leave "
                    "room for {}: choose a shorter one (NGIT_GIT_DATA_PATH)",
                    options_.hosting.root.native().size(), kRootBytesMax)};
  const auto loaded = hosting_.policy.load(net::now().unix_seconds);
  if (!loaded)
    return core::Failure{
        fmt::format("cannot read the event database: {}", store::describe(loaded.error()))};
  gitio::sweep(options_.hosting.root, hosting_.policy.purgatory().upload_tokens());
  if (options_.policy.pr_repositories) hosting_.pr_repositories.load();
  const auto made =
      gitio::Repository::make_stand_in(options_.hosting.root, options_.hosting.unborn_branch);
  if (made) return core::Done{};
  return core::Failure{"cannot make the empty repository: " + made.error()};
}

void GraspHost::open(Ingest& ingest) {
  hosting_.ingest = &ingest;
  relist();
  sweep();  // terms that ended while nobody was here: before the first client comes
  maintenance_.post([this] {
    gitio::sweep_trash(options_.hosting.root);
    remove_untouched();
  });
  if (options_.policy.pr_repositories) maintenance_.post([this] { tidy_pr_repositories(); });
  const auto waiting =
      hosting_.ask([](const auto& policy) { return policy.purgatory().identifiers(); });
  for (const Identifier& identifier : waiting) alignments_.post(identifier);
  grasp::Transition threads;
  hosting_.ask([&](const grasp::Policy& policy) { policy.resume_threads(threads); });
  perform(std::move(threads));
  sweeper_ = std::make_unique<PeriodicTimer>(options_.sweep_interval, [this] { sweep(); });
  maintainer_ =
      std::make_unique<PeriodicTimer>(options_.maintenance_interval, [this] { maintain(); });
}

// What the operator's lists say since the last start, before the first client comes.
void GraspHost::relist() {
  grasp::Transition due =
      hosting_.ask([](grasp::Policy& policy) { return policy.take_relisting(); });
  if (due.empty()) return;
  if (!hosting_.admit({}, due.take_writes()))
    core::log::error("what is no longer wanted here could not be removed from the database");
  perform(std::move(due));
}

PushesUnderWay::Guard GraspHost::begin_push(grasp::BeingPushed push) {
  auto guard = hosting_.under_way.enter(std::move(push));
  const core::UnixSeconds now = net::now().unix_seconds;
  grasp::Transition changes;
  hosting_.ask([&](grasp::Policy& policy) {
    policy.give_time(*guard, policy.purgatory().deadline(now), now, changes);
  });
  write_and_perform(std::move(changes));
  return guard;
}

void GraspHost::close() {
  sweeper_.reset();
  maintainer_.reset();
  workers_.stop();
  pulls_.stop();
  alignments_.stop();
  maintenance_.stop();
  thread_archive_.stop();
}

relay::Verdict GraspHost::decide(const nostr::WireEventPtr& event, const relay::Source& source,
                                 store::Changes& changes) {
  const grasp::Origin origin = origin_of(source);
  grasp::Transition decided;
  auto verdict = hosting_.ask([&](grasp::Policy& policy) {
    return policy.decide(event, origin, net::now().unix_seconds, decided);
  });
  hand_over(decided, changes);
  pending_.append(std::move(decided));
  if (const auto* take = std::get_if<grasp::Take>(&verdict); take && take->of_stranger)
    return pass_on_for_stranger(source);
  return to_relay(std::move(verdict));
}

// A peer is no person: what strangers send is for those who are here.
relay::Verdict GraspHost::pass_on_for_stranger(const relay::Source& source) {
  if (source.intake == relay::Source::Intake::Client &&
      stranger_ephemerals_.take(source.client, net::now().instant))
    return relay::Accept{};
  return relay::Reject{fmt::format(
      "rate-limited: ephemeral events about nothing that is here: {} a minute from people who take "
      "no part in a repository here",
      options_.stranger_ephemerals_per_minute)};
}

// What is written with the batch; should that fail, it has to be known what it was.
void GraspHost::hand_over(grasp::Transition& decided, store::Changes& changes) {
  for (store::Change& change : decided.take_writes()) {
    if (const auto* note = std::get_if<store::Note>(&change)) decided_keys_.push_back(note->key);
    changes.push_back(std::move(change));
  }
}

// Nothing that was to follow from it happens (R2).
void GraspHost::failed() {
  const auto keys = std::exchange(decided_keys_, {});
  const grasp::Transition left = std::exchange(pending_, {});
  grasp::Transition changes;
  hosting_.ask(
      [&](grasp::Policy& policy) { policy.revert(keys, left, net::now().unix_seconds, changes); });
  write_and_perform(std::move(changes));
}

void GraspHost::settled(std::span<const relay::Settled> events) {
  decided_keys_.clear();
  grasp::Transition changes = std::exchange(pending_, {});
  hosting_.ask([&](grasp::Policy& policy) {
    for (const auto& [event, outcome] : events)
      policy.settled(event, outcome, net::now().unix_seconds, changes);
  });
  for (const auto& [event, outcome] : events)
    if (outcome == store::Outcome::Stored && grasp::is_status(event->event.kind))
      follow_status(event);
  write_and_perform(std::move(changes));
}

void GraspHost::proceed(const nostr::WireEventPtr& event, const relay::Source&,
                        relay::Answer answer) {
  const nostr::Kind kind = event->event.kind;
  if (kind == grasp::kinds::kPullRequest || kind == grasp::kinds::kPullRequestUpdate)
    return align_pulls(event, std::move(answer));
  workers_.post([this, event, answer = std::move(answer)] {
    if (event->event.kind == grasp::kinds::kAnnouncement) recall_states(event->event);
    align_for(event->event);
    answer_now(event->event.id, answer);
  });
}

void GraspHost::watch(Watcher& watcher) {
  std::lock_guard lock(watcher_mutex_);
  watchers_.push_back(&watcher);
}

void GraspHost::unwatch(Watcher& watcher) {
  std::lock_guard lock(watcher_mutex_);
  std::erase(watchers_, &watcher);
}

void GraspHost::push_failed(const Coordinate& view) {
  std::lock_guard lock(watcher_mutex_);
  for (Watcher* watcher : watchers_) watcher->push_failed(view);
}

void GraspHost::write_and_perform(grasp::Transition changes) {
  if (auto writes = changes.take_writes(); !writes.empty())
    hosting_.ingest->admit({{}, std::move(writes), nullptr});
  perform(std::move(changes));
}

void GraspHost::drop_pull_refs(const std::vector<nostr::EventId>& ids,
                               const std::set<Identifier>& identifiers) {
  for (const Identifier& identifier : identifiers)
    for (const Coordinate& view :
         hosting_.ask([&](const auto& policy) { return policy.catalog().views(identifier); })) {
      if (!hosting_.has_repository(view)) continue;
      const auto guard = hosting_.views.lock(hosting_.key(view));
      PullRefs(hosting_, view).drop(ids);
    }
}

void GraspHost::tidy_pr_repositories() {
  hosting_.pr_repositories.tidy([this](const Coordinate& pr_repository, const nostr::EventId& id) {
    return hosting_.ask([&](const grasp::Policy& policy) {
      const auto pull = policy.find_pull(id);
      return pull && pull->commit &&
             !policy.pr_repository_fault(*pull, pr_repository, *pull->commit);
    });
  });
}

void GraspHost::sweep() {
  const core::UnixSeconds now = net::now().unix_seconds;
  grasp::Transition changes;
  hosting_.ask([&](grasp::Policy& policy) {
    const core::UnixSeconds soon = now + (policy.purgatory().deadline(now) - now) / 2;
    for (const auto& push : hosting_.under_way.all()) policy.give_time(*push, soon, now, changes);
    policy.expire(now, changes);
  });
  {
    std::lock_guard lock(touched_mutex_);
    for (const Identifier& identifier : failed_.take_due(net::now().instant))
      changes.add(grasp::AlignGroup{identifier});
  }
  write_and_perform(std::move(changes));
}

}  // namespace graspd::serve
