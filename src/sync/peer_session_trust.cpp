// How far a relay's small answers are believed (R9): relays cap silently, and some at very little.
#include <algorithm>
#include <chrono>
#include <utility>

#include "sync/peer_session.h"

namespace graspd::sync {
namespace {

using namespace std::chrono_literals;
// A relay whose answers mislead us again so soon waits longer each time.
constexpr core::Duration kDistrustMemory = 2h;
constexpr std::size_t kGivenMax = 64;  // more than relays in trouble give at a time
constexpr core::Duration kProbeWait = 65s;
constexpr core::Duration kRecheckFirst = 1h, kRecheckMax = 24h;

core::Duration stretched(core::Duration wait, std::uint32_t times, core::Duration max) {
  for (; times > 0 && wait < max; --times) wait *= 2;
  return std::min(wait, max);
}

}  // namespace

// The relay gives fewer at a time than what was taken for a whole answer.
void PeerSession::check_trust(core::Now now) {
  if (memory_.reread_at || !memory_.answers.is_trust_misplaced()) return;
  memory_.answers.trusted = 0;
  ++memory_.meter.rereads;
  const bool is_again =
      memory_.distrusted_at && now.instant - *memory_.distrusted_at < kDistrustMemory;
  memory_.distrusts = is_again ? memory_.distrusts + 1 : 0;
  memory_.distrusted_at = now.instant;
  const Options& options = context_.options;
  const core::Duration wait =
      is_again ? stretched(options.rate_pause, memory_.distrusts - 1, options.rate_pause_max) : 0ms;
  memory_.reread_at = now.instant + wait;
  context_.log(
      core::log::Level::Warn,
      "sync: {} gives no more than {} events at a time: what looked whole may not have been, "
      "reading it again",
      memory_.url.text(), memory_.answers.largest);
}

void PeerSession::reread_if_due(core::Now now) {
  if (memory_.reread_at && *memory_.reread_at <= now.instant)
    return start_fresh(now, Source::Historic);
  if (!memory_.recheck_at || *memory_.recheck_at > now.instant) return;
  memory_.recheck_at.reset();
  if (!wants_recheck()) return;
  ++memory_.rechecks;
  start_fresh(now, Source::Historic);
}

// What was trusted may not have been whole, or what was promised never came.
bool PeerSession::wants_recheck() const {
  return memory_.answers.is_trust_open() || memory_.ids_given_up > 0;
}

// A group that never answered brings nothing, as far as we know: it is read like what rotates.
core::UnixSeconds PeerSession::unproven_read_at(const LiveGroup& group) const {
  if (group.read_at == 0) return 0;
  return group.read_at + core::whole_seconds(context_.options.rotation_min);
}

void PeerSession::plan_recheck(core::Now now) {
  if (!wants_recheck() && memory_.lost.size() == 0) memory_.rechecks = 0;
  if (memory_.recheck_at || !wants_recheck()) return;
  memory_.recheck_at = now.instant + stretched(kRecheckFirst, memory_.rechecks, kRecheckMax);
}

// So many events came for one filter, other than a page.
void PeerSession::gave(core::Now now, std::size_t count) {
  memory_.recent_answers.saw(count, now.instant);
  memory_.answers.gave(count);
  memory_.gives_many |= count >= kCapMin;
  memory_.answers.at_once = std::max(memory_.answers.at_once, count);
}

void PeerSession::remember_given(const nostr::EventId& id) {
  auto& given = memory_.given;
  if (std::find(given.begin(), given.end(), id) != given.end()) return;
  if (given.size() == kGivenMax) given.erase(given.begin());
  given.push_back(id);
}

// It may hold back more than what was trusted, and more than that can be asked for.
bool PeerSession::doubts_trust() const {
  const std::size_t known = std::min(memory_.given.size(), budget_.ids_max);
  return memory_.answers.is_trust_open() && known > memory_.answers.doubtful();
}

// More than it gives at a time is worth asking for: of what was trusted, or of a second in which it
// held back.
bool PeerSession::wants_probe() const {
  if (doubts_trust()) return true;
  const std::size_t known = std::min(memory_.given.size(), budget_.ids_max);
  for (const auto& [id, batch] : batches_) {
    for (const auto& [number, job] : batch.jobs) {
      if (!job.pages && known > job.held_back + kStrays && holds_back(job)) return true;
    }
  }
  return false;
}

bool PeerSession::send_probe(core::Now now) {
  if (!wants_probe() || probe_at_ > now.instant || !has_slot()) return false;
  if (transients_open() >= budget_.transients_max) return false;
  if (is_paused_class(now, RequestClass::Ids)) return false;
  const bool is_asking = std::any_of(wires_.begin(), wires_.end(), [](const auto& one) {
    return one.second.purpose == Wire::Purpose::Probe;
  });
  if (is_asking || !is_admitted(now) || !take_token(now)) return false;
  const auto& ids = probe_rest_.empty() ? memory_.given : probe_rest_;
  const auto count = std::min(ids.size(), budget_.ids_max);
  Wire wire;
  wire.purpose = Wire::Purpose::Probe;
  wire.ids = {ids.end() - static_cast<std::ptrdiff_t>(count), ids.end()};
  nostr::Filter filter;
  filter.ids = std::vector<nostr::EventId>(wire.ids.begin(), wire.ids.end());
  filter.limit = wire.ids.size();
  probe_at_ = now.instant + kProbeWait;  // until it is answered
  subscribe(now, std::move(wire), Source::Historic, {std::move(filter)});
  return true;
}

void PeerSession::finish_probe(core::Now now, const Wire& wire) {
  if (!wire.ended) return;
  memory_.recent_answers.saw(wire.delivered, now.instant);
  memory_.answers.gave(wire.delivered);
  if (probe_rest_.empty() && !wire.ids.empty() && wire.delivered > 0) {
    probe_gave_ = wire.delivered;
    probe_rest_.assign(wire.ids.begin(), wire.ids.end());
    probe_at_ = now.instant;
    return;
  }
  const bool is_second = !std::exchange(probe_rest_, {}).empty();
  const std::size_t given = is_second ? probe_gave_ : wire.delivered;
  if (is_second && wire.delivered > 0) {  // it has them, and did not give all together
    memory_.answers.holds_back_at(wire.ids.empty() ? given : std::min(given, wire.delivered));
    return check_trust(now);
  }
  for (const nostr::EventId& id : wire.ids) std::erase(memory_.given, id);
  memory_.answers.at_once = std::max(memory_.answers.at_once, given);
}

}  // namespace graspd::sync
