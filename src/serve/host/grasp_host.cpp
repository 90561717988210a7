#include "serve/host/grasp_host.h"

#include <algorithm>
#include <climits>
#include <fmt/format.h>
#include <limits>

#include "core/counted.h"
#include "core/log.h"
#include "gitio/repository.h"
#include "gitio/staging.h"
#include "grasp/pull_selection.h"
#include "net/clock.h"
#include "relay/admission.h"
#include "serve/host/source_origin.h"

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

// What is dated ahead may come again when its time has come.
grasp::Reason reason_of(relay::Refusal::Why why) {
  switch (why) {
    case relay::Refusal::Why::Never:
      return grasp::Reason::Invalid;
    case relay::Refusal::Why::Expired:
      return grasp::Reason::Expired;
    case relay::Refusal::Why::TooEarly:
      break;
  }
  return grasp::Reason::Passing;
}

}  // namespace

GraspHost::GraspHost(GraspHostOptions options, store::EventStore& store)
    : options_(std::move(options)),
      hosting_(options_.hosting, options_.policy, store),
      workers_(options_.git_threads),
      alignments_(hosting_, options_.alignment_threads),
      maintenance_(hosting_),
      threads_(hosting_),
      pulls_(hosting_, alignments_, options_.pull_threads,
             [this](const Coordinate& repository) { touched(repository); }),
      pushes_(hosting_, alignments_),
      pr_pushes_(hosting_, alignments_),
      performer_({hosting_, workers_, alignments_, maintenance_, threads_, pulls_}),
      stranger_ephemerals_(options_.stranger_ephemerals_per_minute) {
  hosting_.policy.perform_with(
      [this](grasp::Transition changes) { performer_.perform(std::move(changes)); });
}

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
  if (auto gone = expect_same_service(); !gone) return gone;
  gitio::sweep(options_.hosting.root, hosting_.known()->purgatory().uploads().tokens());
  if (options_.policy.pr_repositories) hosting_.pr_repositories.load();
  const auto made =
      gitio::Repository::make_stand_in(options_.hosting.root, options_.hosting.unborn_branch);
  if (made) return core::Done{};
  return core::Failure{"cannot make the empty repository: " + made.error()};
}

// R18 of grasp/policy.h
core::Result<core::Done, std::string> GraspHost::expect_same_service() const {
  const auto known = hosting_.known();
  const auto& [domain, repositories] = known->stranded();
  if (repositories == 0 || options_.policy.lets_former_go) return core::Done{};
  return core::Failure{fmt::format(
      "NGIT_DOMAIN or NGIT_BASE_PATH has changed, and git would no longer serve {} announced for "
      "{}. Set NGIT_FORMER_DOMAINS={} to go on serving them, NGIT_FORMER_DOMAINS=none to let them "
      "go, or restore the settings",
      core::counted(repositories, "repository", "repositories"), domain, domain)};
}

void GraspHost::open(Ingest& ingest) {
  hosting_.ingest = &ingest;
  hosting_.policy.open(ingest);
  relist();
  // Terms that ended while nobody was here: before the first client comes.
  hosting_.change_and_wait(sweep());
  maintenance_.open(options_.maintenance_interval, options_.policy.pr_repositories);
  for (const Identifier& identifier : hosting_.known()->purgatory().identifiers())
    alignments_.post(identifier);
  hosting_.change([](const grasp::Policy& policy, core::UnixSeconds, grasp::Transition& changes) {
    policy.current().resume_threads(changes);
  });
  sweeper_ = std::make_unique<PeriodicTimer>(options_.sweep_interval, [this] {
    alignments_.post_failed(net::now().instant);
    hosting_.change(sweep());
  });
}

// What the operator's lists say since the last start, before the first client comes.
void GraspHost::relist() {
  const bool durable = hosting_.change_and_wait(
      [](grasp::Policy& policy, core::UnixSeconds, grasp::Transition& changes) {
        changes.append(policy.take_relisting());
      });
  if (!durable)
    core::log::error("what is no longer wanted here could not be removed from the database");
}

// Ends what has waited long enough, but for what is being pushed.
PolicyOwner::Request GraspHost::sweep() {
  return [this](grasp::Policy& policy, core::UnixSeconds now, grasp::Transition& changes) {
    const core::UnixSeconds soon = now + (policy.purgatory().deadline(now) - now) / 2;
    for (const auto& push : hosting_.under_way.all()) policy.give_time(*push, soon, now, changes);
    policy.expire(now, changes);
  };
}

PushesUnderWay::Guard GraspHost::begin_push(grasp::BeingPushed push) {
  auto guard = hosting_.under_way.enter(std::move(push));
  hosting_.change(
      [guard](grasp::Policy& policy, core::UnixSeconds now, grasp::Transition& changes) {
        policy.give_time(*guard, policy.purgatory().deadline(now), now, changes);
      });
  return guard;
}

void GraspHost::close() {
  sweeper_.reset();
  workers_.stop();
  pulls_.stop();
  alignments_.stop();
  maintenance_.stop();
  threads_.stop();
}

relay::Verdict GraspHost::decide(const nostr::WireEventPtr& event, const relay::Source& source,
                                 store::Changes& changes) {
  auto verdict = hosting_.policy.decide(event, origin_of(source), changes);
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

void GraspHost::refused(const nostr::WireEventPtr& event, const relay::Source& source,
                        const relay::Refusal& refusal, store::Changes& changes) {
  hosting_.policy.refused(event, origin_of(source), reason_of(refusal.why), changes);
}

void GraspHost::settled(std::span<const relay::Settled> events) {
  hosting_.policy.settled(events);
  for (const auto& [event, outcome] : events)
    if (outcome == store::Outcome::Stored && grasp::is_status(event->event.kind))
      statuses_.push_back(event);
}

void GraspHost::committed() {
  hosting_.policy.committed();
  for (const nostr::WireEventPtr& status : std::exchange(statuses_, {}))
    if (pulls_.may_set_status(status->event.pubkey))
      workers_.post([this, status] { pulls_.follow_status(status->event); });
}

void GraspHost::failed() { hosting_.policy.failed(); }

void GraspHost::proceed(const nostr::WireEventPtr& event, const relay::Source&,
                        relay::Answer answer) {
  const nostr::Kind kind = event->event.kind;
  if (kind == grasp::kinds::kPullRequest || kind == grasp::kinds::kPullRequestUpdate)
    return pulls_.add(event, std::move(answer));
  workers_.post([this, event, answer = std::move(answer)] {
    if (event->event.kind == grasp::kinds::kAnnouncement) threads_.restore_states(event->event);
    alignments_.align_for(event->event);
    pulls_.answer_now(event->event.id, answer);
  });
}

bool GraspHost::knows(const nostr::EventId& id) const { return hosting_.known()->knows(id); }

std::vector<store::Position> GraspHost::known(const nostr::Filter& filter) const {
  const auto reader = hosting_.known();
  std::vector<store::Position> found;
  for (const nostr::WireEventPtr& wire : reader->kept_events())
    if (filter.matches(wire->event)) found.push_back({wire->event.created_at, wire->event.id});
  const grasp::DigestFilter digests(filter);
  reader->rejected().match(digests, 0, std::numeric_limits<std::size_t>::max(), found);
  std::ranges::sort(found, store::comes_before);
  const auto repeats = std::ranges::unique(found);
  found.erase(repeats.begin(), repeats.end());
  return found;
}

}  // namespace graspd::serve
