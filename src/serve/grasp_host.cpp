#include "serve/grasp_host.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/log.h"
#include "gitio/maintenance.h"
#include "gitio/process.h"
#include "gitio/ref_store.h"
#include "gitio/removal.h"
#include "gitio/repository.h"
#include "gitio/staging.h"
#include "net/clock.h"
#include "serve/random.h"

namespace graspd::serve {
namespace {

using grasp::Coordinate;
using grasp::Identifier;

relay::Verdict to_relay(grasp::Verdict verdict) {
  if (auto* wait = std::get_if<grasp::Wait>(&verdict)) return relay::Hold{std::move(wait->text)};
  if (auto* refuse = std::get_if<grasp::Refuse>(&verdict))
    return relay::Reject{std::move(refuse->text)};
  if (std::holds_alternative<grasp::LookForData>(verdict)) return relay::Defer{};
  return relay::Accept{};
}

// Of one identifier, before others have their turn.
constexpr std::size_t kViewsAtOnce = 8;

// Refused events looked at without letting go of the policy: well below a millisecond.
constexpr std::size_t kMatchedAtOnce = 2'048;

void append(auto& to, auto& from) {
  to.insert(to.end(), std::move_iterator(from.begin()), std::move_iterator(from.end()));
}

void merge(grasp::Changes& into, grasp::Changes from) {
  append(into.notes, from.notes);
  append(into.removals, from.removals);
  into.recheck.merge(from.recheck);
  append(into.asleep, from.asleep);
  append(into.purge, from.purge);
  append(into.lost_pulls, from.lost_pulls);
  into.lost_pulls_in.merge(from.lost_pulls_in);
  into.lost_pulls_by.merge(from.lost_pulls_by);
  append(into.lost_uploads, from.lost_uploads);
  append(into.ended_threads, from.ended_threads);
  append(into.recalled_threads, from.recalled_threads);
  append(into.lost_threads, from.lost_threads);
  append(into.retry, from.retry);
  for (auto& [relay, ids] : from.wanted_again) append(into.wanted_again[relay], ids);
}

}  // namespace

GraspHost::GraspHost(GraspHostOptions options, store::EventStore& store)
    : options_(std::move(options)),
      store_(store),
      hosting_(options_.hosting, options_.policy, store),
      pushes_(
          hosting_,
          [this](const Identifier& identifier, FamilySettlement::Result result) {
            follow_up(identifier, std::move(result));
          },
          [this](const Coordinate& view) { push_failed(view); }),
      tray_pushes_(hosting_,
                   [this](const Identifier& identifier, FamilySettlement::Result result) {
                     follow_up(identifier, std::move(result));
                   }),
      workers_(options_.git_threads),
      settlements_(
          options_.settlement_threads,
          [this](const Identifier& identifier) {
            return hosting_.ask([&](const grasp::Policy& policy) {
              return slices(policy, identifier, kViewsAtOnce);
            });
          },
          [this](const Identifier& identifier, SettlementScope slice) {
            settle(identifier, std::move(slice));
          }),
      caretaker_(1, Workers::Priority::Background),
      archivist_(1, Workers::Priority::Background) {}

GraspHost::~GraspHost() { close(); }

core::Result<core::Done, std::string> GraspHost::load() {
  gitio::adopt_orphans();
  gitio::limit_processes(options_.git_process);
  std::error_code error;
  std::filesystem::create_directories(options_.hosting.root, error);
  if (error)
    return core::Failure{fmt::format("cannot make the folder for git data, {}: {}",
                                     options_.hosting.root.string(), error.message())};
  const auto loaded = hosting_.policy.load(net::now().unix_seconds);
  if (!loaded)
    return core::Failure{
        fmt::format("cannot read the event database: {}", store::describe(loaded.error()))};
  gitio::sweep(options_.hosting.root, hosting_.policy.purgatory().upload_tokens());
  if (!options_.policy.trays) return core::Done{};
  const auto trays = hosting_.trays.load();
  if (trays) return core::Done{};
  return core::Failure{"cannot make the folder for pull requests: " + trays.error()};
}

void GraspHost::open(Ingest& ingest) {
  hosting_.ingest = &ingest;
  relist();
  sweep();  // terms that ended while nobody was here: before the first client comes
  caretaker_.post([root = options_.hosting.root] { gitio::sweep_trash(root); });
  if (options_.policy.trays) caretaker_.post([this] { tidy_trays(); });
  const auto waiting =
      hosting_.ask([](const auto& policy) { return policy.purgatory().identifiers(); });
  for (const Identifier& identifier : waiting) settlements_.post(identifier);
  grasp::Changes threads;
  hosting_.ask([&](const grasp::Policy& policy) { policy.resume_threads(threads); });
  perform(std::move(threads));
  sweeper_ = std::make_unique<Metronome>(options_.sweep_interval, [this] { sweep(); });
  maintainer_ = std::make_unique<Metronome>(options_.maintenance_interval, [this] { maintain(); });
}

// What the operator's lists say since the last start, before the first client comes.
void GraspHost::relist() {
  grasp::Relisting due =
      hosting_.ask([](grasp::Policy& policy) { return policy.take_relisting(); });
  if (due.empty()) return;
  if (!hosting_.admit(std::move(due.back), {std::move(due.notes), std::move(due.out)}))
    core::log::error("the lists of repositories could not be applied to the database");
}

PushesUnderWay::Guard GraspHost::begin_push(grasp::BeingPushed push) {
  auto guard = hosting_.under_way.enter(std::move(push));
  const core::UnixSeconds now = net::now().unix_seconds;
  grasp::Purgatory::Notes notes;
  hosting_.ask([&](grasp::Policy& policy) {
    policy.give_time(*guard, policy.purgatory().deadline(now), now, notes);
  });
  if (!notes.empty()) hosting_.ingest->admit({{}, {std::move(notes), {}}, nullptr});
  return guard;
}

void GraspHost::close() {
  sweeper_.reset();
  maintainer_.reset();
  workers_.stop();
  settlements_.stop();
  caretaker_.stop();
  archivist_.stop();
}

relay::Verdict GraspHost::decide(const nostr::WireEventPtr& event, const relay::Source& source,
                                 relay::Effects& effects) {
  const grasp::Origin origin{source.door == relay::Source::Door::Sync, source.relay};
  grasp::Changes changes;
  auto verdict = hosting_.ask([&](grasp::Policy& policy) {
    return policy.decide(event, origin, net::now().unix_seconds, changes);
  });
  append(effects.notes, changes.notes);
  append(effects.removals, changes.removals);
  append(effects.restored, changes.restored);
  changes.notes.clear();
  changes.removals.clear();
  changes.restored.clear();
  merge(pending_, std::move(changes));
  return to_relay(std::move(verdict));
}

void GraspHost::settled(std::span<const relay::Settled> events) {
  grasp::Changes changes = std::exchange(pending_, {});
  hosting_.ask([&](grasp::Policy& policy) {
    for (const auto& [event, outcome] : events)
      policy.settled(event, outcome, net::now().unix_seconds, changes);
  });
  write_and_perform(std::move(changes));
}

void GraspHost::proceed(const nostr::WireEventPtr& event, const relay::Source&,
                        relay::Answer answer) {
  workers_.post([this, event, answer = std::move(answer)] {
    if (event->event.kind == grasp::kinds::kAnnouncement) recall_states(event->event);
    settle_for(event->event);
    const bool stored = hosting_.ask(
        [&](const grasp::Policy& policy) { return policy.is_stored(event->event.id); });
    answer(true, stored ? std::string() : std::string(grasp::kInPurgatory));
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

void GraspHost::write_and_perform(grasp::Changes changes) {
  if (!changes.notes.empty() || !changes.removals.empty())
    hosting_.ingest->admit({{}, {std::move(changes.notes), std::move(changes.removals)}, nullptr});
  perform(std::move(changes));
}

void GraspHost::perform(grasp::Changes changes) {
  for (const Identifier& identifier : changes.recheck) settlements_.post(identifier);
  if (!changes.lost_pulls.empty())
    workers_.post([this, ids = std::move(changes.lost_pulls), in = std::move(changes.lost_pulls_in),
                   by = std::move(changes.lost_pulls_by)] {
      drop_pull_refs(ids, in);
      for (const Identifier& identifier : in)
        for (const nostr::PublicKey& author : by) hosting_.trays.drop({author, identifier}, ids);
    });
  append(changes.purge, changes.asleep);
  for (const Coordinate& view : changes.purge)
    caretaker_.post([this, view] {
      remove_unless_open(view);
      archivist_.post([this, view] { end_threads({view, {}}, Threads::Forgotten); });
    });
  for (const grasp::Departed& gone : changes.ended_threads)
    archivist_.post([this, gone] { end_threads(gone, Threads::Kept); });
  for (const Coordinate& back : changes.recalled_threads)
    archivist_.post([this, back] { recall_threads(back); });
  for (const Coordinate& lost : changes.lost_threads)
    archivist_.post([this, lost] { lose_threads(lost); });
  for (const std::string& token : changes.lost_uploads)
    caretaker_.post([this, token] {
      if (auto staging = gitio::Staging::reopen(options_.hosting.root, token)) staging->discard();
    });
  tell_wanted(changes.wanted_again);
  retry(std::move(changes.retry));
}

// They were refused once, and their senders know: nobody is answered.
void GraspHost::retry(std::vector<grasp::Retry> retries) {
  using Door = relay::Source::Door;
  std::vector<Submission> submissions;
  for (grasp::Retry& again : retries) {
    const nostr::WireEvent& wire = *again.event;
    if (!hosting_.ingest->reserve(wire.json.size())) {
      hosting_.ask([&](grasp::Policy& policy) { policy.put_off(wire.event.id); });
      continue;
    }
    relay::Source source{
        again.origin.synced ? Door::Sync : Door::Client, {}, std::move(again.origin.relay)};
    submissions.push_back({wire.event, wire.json.size(), std::move(source), {}});
  }
  if (!submissions.empty()) hosting_.ingest->submit(std::move(submissions));
}

bool GraspHost::knows(const nostr::EventId& id) const {
  return hosting_.ask([&](const grasp::Policy& policy) { return policy.knows(id); });
}

std::vector<store::Position> GraspHost::known(const nostr::Filter& filter) const {
  std::vector<store::Position> found;
  for (const nostr::WireEventPtr& wire :
       hosting_.ask([](const grasp::Policy& policy) { return policy.kept_events(); }))
    if (filter.matches(wire->event)) found.push_back({wire->event.created_at, wire->event.id});
  const grasp::DigestFilter digests(filter);
  std::optional<grasp::RejectedIds::Number> from = 0;
  while (from)
    from = hosting_.ask([&](const grasp::Policy& policy) {
      return policy.rejected().match(digests, *from, kMatchedAtOnce, found);
    });
  std::ranges::sort(found, store::comes_before);
  const auto repeats = std::ranges::unique(found);
  found.erase(repeats.begin(), repeats.end());
  return found;
}

void GraspHost::on_wanted_again(WantedAgain callback) {
  std::lock_guard lock(wanted_mutex_);
  wanted_again_ = std::move(callback);
}

void GraspHost::tell_wanted(const std::map<nostr::RelayUrl, std::vector<nostr::EventId>>& wanted) {
  std::lock_guard lock(wanted_mutex_);
  if (!wanted_again_) return;
  for (const auto& [relay, ids] : wanted) wanted_again_(relay, ids);
}

void GraspHost::drop_pull_refs(const std::vector<nostr::EventId>& ids,
                               const std::set<Identifier>& identifiers) {
  constexpr git::RefName::Space kNostr[] = {git::RefName::Space::Nostr};
  for (const Identifier& identifier : identifiers)
    for (const Coordinate& view :
         hosting_.ask([&](const auto& policy) { return policy.catalog().views(identifier); })) {
      const auto guard = hosting_.views.lock(hosting_.key(view));
      const auto repository = gitio::Repository::open(hosting_.path(view));
      if (!repository) continue;
      const auto refs = repository->refs(kNostr);
      if (!refs) {
        core::log::error("cannot read the refs of {}: {}", hosting_.key(view), refs.error());
        continue;
      }
      git::RefTransaction transaction;
      for (const nostr::EventId& id : ids) {
        const auto at = refs->find(pull_ref(id));
        if (at != refs->end()) transaction.updates.push_back({at->first, at->second, std::nullopt});
      }
      if (transaction.empty()) continue;
      const auto done = gitio::apply(hosting_.path(view), transaction);
      if (!done) core::log::error("cannot remove refs in {}: {}", hosting_.key(view), done.error());
    }
}

void GraspHost::tidy_trays() {
  hosting_.trays.tidy([this](const Coordinate& tray, const nostr::EventId& id) {
    return hosting_.ask([&](const grasp::Policy& policy) {
      const auto pull = policy.find_pull(id);
      return pull && pull->commit && !policy.tray_fault(*pull, tray, *pull->commit);
    });
  });
}

void GraspHost::remove_unless_open(const Coordinate& view) {
  const auto kept = hosting_.packs.lock(hosting_.key(view));
  const auto guard = hosting_.views.lock(hosting_.key(view));
  if (hosting_.ask([&](const auto& policy) { return policy.is_open(view); })) return;
  hosting_.followed.forget(view);
  const auto removed =
      gitio::remove_repository(options_.hosting.root, hosting_.path(view), random_hex(16));
  if (!removed)
    core::log::error("cannot remove the repository {}: {}", hosting_.key(view), removed.error());
  else
    core::log::info("removed the repository {}", hosting_.key(view));
}

void GraspHost::sweep() {
  const core::UnixSeconds now = net::now().unix_seconds;
  grasp::Changes changes;
  grasp::Purgatory::Notes kept;
  hosting_.ask([&](grasp::Policy& policy) {
    const core::UnixSeconds soon = now + (policy.purgatory().deadline(now) - now) / 2;
    for (const auto& push : hosting_.under_way.all()) policy.give_time(*push, soon, now, kept);
    policy.expire(now, changes);
  });
  append(changes.notes, kept);
  {
    std::lock_guard lock(touched_mutex_);
    changes.recheck.merge(std::exchange(failed_, {}));
  }
  write_and_perform(std::move(changes));
}

void GraspHost::touched(const std::string& key) {
  std::lock_guard lock(touched_mutex_);
  touched_.insert(key);
}

void GraspHost::maintain() {
  std::set<std::string> keys;
  {
    std::lock_guard lock(touched_mutex_);
    keys = std::exchange(touched_, {});
  }
  for (const std::string& key : keys)
    caretaker_.post([this, key] {
      const auto kept = hosting_.packs.lock(key);
      const auto guard = hosting_.views.lock(key);
      const auto path = options_.hosting.root / key;
      if (std::error_code gone; !std::filesystem::exists(path, gone)) return;
      const auto done = gitio::maintain(path, {});
      if (!done) core::log::warn("maintenance of {} failed: {}", key, done.error());
    });
}

}  // namespace graspd::serve
