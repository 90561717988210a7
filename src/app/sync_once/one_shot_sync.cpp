#include "app/sync_once/one_shot_sync.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <iterator>
#include <limits>

#include "core/check.h"
#include "nostr/json.h"
#include "sync/refusal.h"

namespace graspd::app {
namespace {

using namespace std::chrono_literals;
namespace said = nostr::relay_said;
namespace says = nostr::client_says;
using sync::RefusalKind;

// Events at the intake from which nothing more is asked for (R6).
constexpr std::size_t kAtIntakeMax = 4'000;
constexpr core::Duration kGrace = 5s;  // for the intake, once it is over

// NIP-70: its author alone may publish it.
bool is_protected(const std::string& json) {
  if (json.find("[\"-\"") == std::string::npos) return false;
  const auto event = nostr::JsonReader().event(json);
  return event && nostr::is_protected(*event);
}

// It has it, or a newer version of it.
bool is_duplicate(std::string_view text) {
  return text.starts_with("duplicate:") || text.starts_with("replaced:");
}

HistoryDialogue::Terms reading_terms(const OneShotSync::Terms& terms) {
  return {.peer = terms.wish.peer,
          .information = terms.peer,
          .filters = terms.wish.filters,
          .negentropy = terms.negentropy,
          .items_max = terms.items_max,
          .answer = terms.answer,
          .notice = terms.notice};
}

}  // namespace

OneShotSync::OneShotSync(Terms terms, const Inventory& inventory, core::Now now)
    : terms_(std::move(terms)),
      inventory_(inventory),
      history_(reading_terms(terms_), inventory, *this),
      progressed_at_(now.instant),
      now_(now.instant) {
  report_.down = terms_.wish.down;
  report_.up = terms_.wish.up;
  report_.dry_run = terms_.wish.dry_run;
}

void OneShotSync::connected(core::Now now) {
  connected_ = true;
  moved_ = false;
  progressed_at_ = now.instant;
  history_.connected(now);
  pump(now);
}

void OneShotSync::disconnected(core::Now now) {  // R3
  connected_ = false;
  now_ = now.instant;
  history_.disconnected(now);
  uploads_.put_all_back();
}

void OneShotSync::hear(core::Now now, nostr::RelayMessage message) {
  if (is_ending()) return;
  if (!history_.hear(now, message)) upload_answered(now, std::get<said::Ok>(message));
  pump(now);
}

void OneShotSync::tick(core::Now now) {
  now_ = now.instant;
  if (is_ending()) return;
  if (const auto until = history_.paused_until(now))
    progressed_at_ = std::max(progressed_at_, *until);
  if (!awaits()) progressed_at_ = now.instant;
  if (now.instant - progressed_at_ > terms_.wish.inactivity_limit) {  // R7
    return give_up(
        now, fmt::format("no progress for {} s", std::chrono::duration_cast<std::chrono::seconds>(
                                                     terms_.wish.inactivity_limit)
                                                     .count()));
  }
  pump(now);
}

bool OneShotSync::awaits() const {
  return !connected_ || !at_intake_.empty() || uploads_.in_flight() > 0 || history_.awaits();
}

bool OneShotSync::may_request() const { return at_intake_.size() < kAtIntakeMax; }

void OneShotSync::pump(core::Now now) {
  now_ = now.instant;
  if (is_ending() || !connected_) return;
  history_.tick(now, may_request());
  if (history_.is_over() && terms_.wish.up) compare_seen(now);
  const bool may_upload = !history_.is_identifying() && !history_.paused_until(now);  // R6
  if (terms_.wish.uploads() && may_upload) send_uploads(now);
}

void OneShotSync::progressed(core::Now now) {
  progressed_at_ = now.instant;
  moved_ = true;
}

void OneShotSync::stop(core::Now now) {
  if (!ended_at_) ended_at_ = now.instant;
}

void OneShotSync::give_up(core::Now now, std::string_view why) {
  if (ended_at_) return;
  trouble(report_, why);
  report_.end = OneShotReport::End::BrokenOff;
  stop(now);
}

bool OneShotSync::finished() const {
  if (ended_at_) return at_intake_.empty() || now_ - *ended_at_ > kGrace;
  return history_.is_over() && at_intake_.empty() &&
         (!terms_.wish.uploads() || (is_compared_ && uploads_.is_done()));
}

void OneShotSync::add_reading(OneShotReport& report) const {
  report.requests = history_.requests();
  report.rounds = history_.rounds();
  report.pages = history_.pages();
}

OneShotReport& OneShotSync::report() {
  add_reading(report_);
  return report_;
}

OneShotReport OneShotSync::final_report() const {
  OneShotReport report = report_;
  add_reading(report);
  report.undelivered = history_.undelivered();
  for (const std::string& text : history_.troubles()) trouble(report, text);
  if (terms_.wish.uploads()) report.unsent = uploads_.left();
  return report;
}

SyncStanding OneShotSync::standing() const {
  const auto [questions, open] = history_.standing();
  SyncStanding standing{.questions = questions, .questions_open = open};
  if (terms_.wish.uploads()) standing.to_upload = uploads_.left();
  return standing;
}

Frames OneShotSync::take_words() {
  Frames out = history_.take_frames();
  std::ranges::move(std::exchange(words_, {}), std::back_inserter(out));
  return out;
}

void OneShotSync::unasked() { ++report_.unasked; }

bool OneShotSync::missing(const nostr::EventId& id) {
  if (missing_.insert(id).second) ++report_.missing_here;
  return terms_.wish.stores() && !handed_.contains(id);
}

void OneShotSync::lacking(const nostr::EventId& id) {
  // What is held or refused here is known, but nothing we could give.
  if (inventory_.stored(id) && uploads_.add(id)) ++report_.peer_lacks;
}

std::optional<nostr::Outcome> OneShotSync::arrived(sync::Sub sub, nostr::Event event, bool by_id) {
  const nostr::EventId id = event.id;
  if (terms_.wish.up && !by_id) seen_.insert(id);
  if (const auto at = at_intake_.find(id); at != at_intake_.end()) {
    at->second.push_back(sub);
    return std::nullopt;
  }
  if (handed_.contains(id)) return nostr::Outcome::Known;
  if (!by_id) {
    if (inventory_.knows(id)) {
      ++report_.already_here;
      handed_.insert(id);  // pages overlap: it counts once
      return nostr::Outcome::Known;
    }
    if (missing_.insert(id).second) ++report_.missing_here;
  }
  if (!terms_.wish.stores()) return nostr::Outcome::Known;
  handed_.insert(id);
  at_intake_[id].push_back(sub);
  ++report_.fetched;
  events_.push_back(std::move(event));
  return std::nullopt;
}

nostr::Outcome OneShotSync::count(const Judgement& judgement) {
  switch (judgement.outcome) {
    case nostr::Outcome::Stored:
      ++report_.stored;
      return nostr::Outcome::Stored;
    case nostr::Outcome::Known:
      ++report_.known;
      return nostr::Outcome::Known;
    case nostr::Outcome::Held:
      ++report_.held;
      return nostr::Outcome::Held;
    case nostr::Outcome::Refused:
    case nostr::Outcome::Postponed:
      tally(report_.refused, judgement.text);
      return nostr::Outcome::Refused;
    case nostr::Outcome::Forged:
      ++report_.forged;
      handed_.erase(judgement.id);  // another copy may be the genuine one
      return nostr::Outcome::Forged;
    case nostr::Outcome::Failed:
      ++report_.failed;
      trouble(report_, judgement.text);
      return nostr::Outcome::Refused;
  }
  CHECK(false);
  return nostr::Outcome::Refused;
}

void OneShotSync::judged(core::Now now, const Judgement& judgement) {
  const auto intake = at_intake_.find(judgement.id);
  if (intake == at_intake_.end()) return;
  const std::vector<sync::Sub> subs = std::move(intake->second);
  at_intake_.erase(intake);
  progressed_at_ = now.instant;
  const nostr::Outcome outcome = count(judgement);
  for (const sync::Sub sub : subs) history_.judged(now, sub, judgement.id, outcome);
  pump(now);
}

// What was read page by page: what is ours of it and did not come, the relay lacks.
void OneShotSync::compare_seen(core::Now now) {
  if (std::exchange(is_compared_, true) || !history_.has_paged()) return;
  for (std::size_t i = 0; i < terms_.wish.filters.size(); ++i) {
    const nostr::Filter& filter = terms_.wish.filters[i];
    if (filter.is_impossible()) continue;
    const auto items =
        inventory_.items(filter, std::numeric_limits<std::uint64_t>::max(), now.unix_seconds);
    if (!items) return give_up(now, items.error());
    for (const negentropy::Item& item : items->set->items()) {
      const nostr::EventId id(item.id);
      if (!seen_.contains(id) &&
          history_.is_paged(i, static_cast<core::UnixSeconds>(item.timestamp)))
        lacking(id);
    }
  }
  seen_.clear();
}

void OneShotSync::send_uploads(core::Now now) {
  while (const auto id = uploads_.next(now.instant)) {
    const auto json = inventory_.json(*id);
    if (!json || is_protected(*json)) {
      report_.kept_back += json ? 1 : 0;
      uploads_.answered(*id);
      continue;
    }
    words_.push_back(says::event(*json));
  }
}

void OneShotSync::upload_answered(core::Now now, const said::Ok& in) {
  const RefusalKind kind = in.accepted ? RefusalKind::Other : sync::read_refusal(in.text).kind;
  if (kind == RefusalKind::RateLimit) {
    uploads_.slow_down(in.id, now.instant);
    if (uploads_.is_hopeless()) give_up(now, fmt::format("the relay accepts no more: {}", in.text));
    return;
  }
  if (!uploads_.answered(in.id)) return;
  progressed(now);
  if (kind == RefusalKind::AuthRequired && history_.may_identify()) {
    history_.identify(now);
    return uploads_.put_back(in.id);
  }
  if (is_duplicate(in.text))
    ++report_.upload_duplicates;
  else if (in.accepted)
    ++report_.uploaded;
  else
    tally(report_.upload_refused, in.text);
}

}  // namespace graspd::app
