#include "sync/answer_trust.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace graspd::sync {
namespace {

using namespace std::chrono_literals;
// A relay whose answers mislead us again so soon waits longer each time.
constexpr core::Duration kDistrustMemory = 2h;
constexpr std::size_t kGivenMax = 64;  // more than relays in trouble give at a time
constexpr core::Duration kProbeWait = 65s;
// A relay in trouble may give less for a while. Requests of one connection are answered within this
// time of each other, also on relays that allow few.
constexpr core::Duration kVouchWithin = 5min;
constexpr core::Duration kRecheckFirst = 1h, kRecheckMax = 24h;

core::Duration stretched(core::Duration wait, std::uint32_t times, core::Duration max) {
  for (; times > 0 && wait < max; --times) wait *= 2;
  return std::min(wait, max);
}

}  // namespace

AnswerTrust::AnswerTrust(PeerContext& peer, Wires& wires, const Batches& batches)
    : peer_(peer),
      options_(peer.engine.options),
      memory_(peer.memory),
      wires_(wires),
      batches_(batches) {}

void AnswerTrust::check(core::Now now) {
  if (memory_.reread_at) return;
  const auto url = [this] { return memory_.url.text(); };
  if (memory_.answers.is_trust_misplaced()) {
    peer_.engine.log(
        core::log::Level::Warn,
        "sync: {} gives no more than {} events at a time: what looked whole may not have been, "
        "reading it again",
        url(), memory_.answers.largest);
    return read_again(now);
  }
  const auto vouched = vouched_in_time();
  if (vouched == true) memory_.answers.trusted_at.reset();
  if (vouched == false) {
    peer_.engine.log(core::log::Level::Info,
                     "sync: {} gives more events at a time than before: what looked whole then may "
                     "not have been, reading it again",
                     url());
    read_again(now);
  }
}

// R4. Nullopt: nothing is open, or nothing larger came.
std::optional<bool> AnswerTrust::vouched_in_time() const {
  const AnswerSize& answers = memory_.answers;
  const auto larger = memory_.recent_answers.first_above(answers.doubtful());
  if (!answers.trusted_at || !larger) return std::nullopt;
  return *larger <= *answers.trusted_at + kVouchWithin;
}

void AnswerTrust::read_again(core::Now now) {
  memory_.answers.forget_trust();
  ++memory_.meter.rereads;
  const bool is_again =
      memory_.distrusted_at && now.instant - *memory_.distrusted_at < kDistrustMemory;
  memory_.distrusts = is_again ? memory_.distrusts + 1 : 0;
  memory_.distrusted_at = now.instant;
  const core::Duration wait =
      is_again ? stretched(options_.rate_pause, memory_.distrusts - 1, options_.rate_pause_max)
               : 0ms;
  memory_.reread_at = now.instant + wait;
}

bool AnswerTrust::is_reread_due(core::Now now) {
  if (memory_.reread_at && *memory_.reread_at <= now.instant) return true;
  if (!memory_.recheck_at || *memory_.recheck_at > now.instant) return false;
  memory_.recheck_at.reset();
  if (!wants_recheck()) return false;
  ++memory_.rechecks;
  return true;
}

// What was trusted may not have been whole, or what was promised never came.
bool AnswerTrust::wants_recheck() const {
  return memory_.answers.is_trust_open() || memory_.ids_given_up > 0;
}

void AnswerTrust::plan_recheck(core::Now now) {
  if (!wants_recheck() && memory_.lost.size() == 0) memory_.rechecks = 0;
  if (memory_.recheck_at || !wants_recheck()) return;
  memory_.recheck_at = now.instant + stretched(kRecheckFirst, memory_.rechecks, kRecheckMax);
}

void AnswerTrust::gave(core::Now now, std::size_t count) {
  memory_.recent_answers.saw(count, now.instant);
  memory_.answers.gave(count);
  memory_.gives_many |= count >= kCapMin;
  memory_.answers.at_once = std::max(memory_.answers.at_once, count);
  check(now);
}

void AnswerTrust::page_came(core::Now now, std::size_t count) {
  memory_.recent_answers.saw(count, now.instant);
}

void AnswerTrust::remember_given(const nostr::EventId& id) {
  auto& given = memory_.given;
  if (std::find(given.begin(), given.end(), id) != given.end()) return;
  if (given.size() == kGivenMax) given.erase(given.begin());
  given.push_back(id);
}

std::size_t AnswerTrust::known() const {
  return std::min(memory_.given.size(), peer_.budget.ids_max);
}

// It may hold back more than what was trusted, and more than that can be asked for. Strays do not
// count here: what is asked for by id and left out shows a cap, however few ids there are.
bool AnswerTrust::is_open() const {
  const AnswerSize& answers = memory_.answers;
  return answers.is_trust_open() && known() > std::max(answers.trusted, answers.at_once);
}

bool AnswerTrust::holds_back(const Job& job) const {
  return job.held_back > 0 &&
         !memory_.recent_answers.gave_more_than(job.held_back + kStrays, job.held_back_at);
}

// More than it gives at a time is worth asking for: of what was trusted, or of a second in which it
// held back.
bool AnswerTrust::wants_probe() const {
  if (is_open()) return true;
  for (const auto& [id, batch] : batches_.all()) {
    for (const auto& [number, job] : batch.jobs) {
      if (!job.pages && known() > job.held_back + kStrays && holds_back(job)) return true;
    }
  }
  return false;
}

bool AnswerTrust::send_probe(core::Now now) {
  if (!wants_probe() || not_before_ > now.instant || !wires_.has_transient_slot()) return false;
  if (memory_.is_paused(RequestClass::Ids, now) || wires_.has(Wire::Purpose::Probe)) return false;
  if (!wires_.admits(now) || !wires_.take_token(now)) return false;
  const auto& ids = rest_.empty() ? memory_.given : rest_;
  const auto count = std::min(ids.size(), peer_.budget.ids_max);
  not_before_ = now.instant + kProbeWait;  // until it is answered
  wires_.open_by_id(now, Wire::Purpose::Probe, Source::Historic,
                    {ids.end() - static_cast<std::ptrdiff_t>(count), ids.end()});
  return true;
}

void AnswerTrust::probe_ended(core::Now now, const Wire& wire) {
  if (!wire.ended) return;
  memory_.recent_answers.saw(wire.delivered, now.instant);
  memory_.answers.gave(wire.delivered);
  if (rest_.empty() && !wire.ids.empty() && wire.delivered > 0) {
    given_ = wire.delivered;
    rest_.assign(wire.ids.begin(), wire.ids.end());
    not_before_ = now.instant;
    return;
  }
  const bool is_second = !std::exchange(rest_, {}).empty();
  const std::size_t given = is_second ? given_ : wire.delivered;
  if (is_second && wire.delivered > 0) {  // it has them, and did not give all together
    memory_.answers.holds_back_at(wire.ids.empty() ? given : std::min(given, wire.delivered));
    return check(now);
  }
  for (const nostr::EventId& id : wire.ids) std::erase(memory_.given, id);
  memory_.answers.at_once = std::max(memory_.answers.at_once, given);
  check(now);
}

void AnswerTrust::add_due(Soonest& due) const {
  due.add(memory_.reread_at);
  due.add(memory_.recheck_at);
  if (wants_probe()) due.add(not_before_);
}

}  // namespace graspd::sync
