#include "app/sync_once/one_shot_sync.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

#include "core/check.h"
#include "nostr/json.h"

namespace graspd::app {
namespace {

using namespace std::chrono_literals;
namespace says = nostr::client_says;

constexpr std::string_view kOwnSoftware = "graspd";
// Events at the intake from which nothing more is asked for (R6).
constexpr std::size_t kAtIntakeMax = 4'000;
constexpr core::Duration kNegentropySilenceMax = 10s;
constexpr core::Duration kGrace = 5s;  // for the intake, once it is over

bool is_ours(const std::optional<sync::PeerInformation>& peer) {
  return peer && peer->software.find(kOwnSoftware) != std::string::npos;
}

// NIP-70: its author alone may publish it.
bool is_protected(const std::string& json) {
  if (json.find("[\"-\"") == std::string::npos) return false;
  const auto event = nostr::JsonReader().event(json);
  return event && nostr::is_protected(*event);
}

}  // namespace

OneShotSync::OneShotSync(Terms terms, const Inventory& inventory, core::Now now)
    : terms_(std::move(terms)),
      inventory_(inventory),
      budget_(sync::make_budget(terms_.peer, {})),
      pace_(is_ours(terms_.peer) ? sync::Pace::unlimited(now.instant) : sync::Pace(now.instant)),
      negentropy_(terms_.negentropy && sync::may_reconcile(terms_.peer, {}, now.unix_seconds)),
      progressed_at_(now.instant),
      now_(now.instant) {
  report_.down = terms_.wish.down;
  report_.up = terms_.wish.up;
  report_.dry_run = terms_.wish.dry_run;
  for (const nostr::Filter& filter : terms_.wish.filters) {
    Piece piece;
    piece.window = {filter.since, filter.until};
    piece.filter = within(filter, {});
    if (filter.is_impossible()) piece.phase = Piece::Phase::Done;
    pieces_.push_back(std::move(piece));
  }
}

void OneShotSync::connected(core::Now now) {
  connected_ = true;
  moved_ = false;
  auth_ = Auth::Unasked;
  challenge_.reset();
  progressed_at_ = now.instant;
  pump(now);
}

void OneShotSync::disconnected(core::Now now) {  // R3
  connected_ = false;
  now_ = now.instant;
  for (const auto& [sub, wire] : std::exchange(wires_, {})) requeue(wire, now.instant);
  uploads_.put_all_back();
}

void OneShotSync::hear(core::Now now, nostr::RelayMessage message) {
  if (is_ending()) return;
  std::visit([&](auto& said) { on(now, said); }, message);
  pump(now);
}

void OneShotSync::tick(core::Now now) {
  now_ = now.instant;
  if (is_ending()) return;
  give_up_silent(now);
  if (!awaits()) progressed_at_ = now.instant;
  if (now.instant - progressed_at_ > terms_.wish.inactivity_limit) {  // R7
    return give_up(
        now, fmt::format("no progress for {} s", std::chrono::duration_cast<std::chrono::seconds>(
                                                     terms_.wish.inactivity_limit)
                                                     .count()));
  }
  pump(now);
}

// R2: some relays do not even say that they do not reconcile.
void OneShotSync::give_up_silent(core::Now now) {
  for (auto at = wires_.begin(); at != wires_.end();) {
    const auto here = at++;
    const Wire& wire = here->second;
    if (wire.purpose != Wire::Purpose::Reconcile || wire.heard ||
        now.instant - wire.opened < kNegentropySilenceMax)
      continue;
    const std::size_t piece = wire.piece;
    close_wire(here);
    no_negentropy(piece, "no answer");
  }
}

bool OneShotSync::awaits() const {
  if (!connected_ || auth_ == Auth::Wanted || auth_ == Auth::Asked) return true;
  return !at_intake_.empty() || uploads_.in_flight() > 0 ||
         std::any_of(wires_.begin(), wires_.end(),
                     [](const auto& one) { return !one.second.next.has_value(); });
}

void OneShotSync::progress(core::Now now) {
  progressed_at_ = now.instant;
  setbacks_ = 0;
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
  const bool answered = std::all_of(pieces_.begin(), pieces_.end(), [](const Piece& piece) {
    return piece.phase == Piece::Phase::Done || piece.phase == Piece::Phase::Failed;
  });
  return answered && wires_.empty() && at_intake_.empty() && !desk_.has_work() &&
         (!terms_.wish.uploads() || uploads_.is_done());
}

OneShotReport OneShotSync::final_report() const {
  OneShotReport report = report_;
  report.undelivered = lost_.size();
  if (terms_.wish.uploads()) report.unsent = uploads_.left();
  return report;
}

SyncStanding OneShotSync::standing() const {
  SyncStanding standing{.questions = pieces_.size()};
  for (const Piece& piece : pieces_) {
    const bool open = piece.phase == Piece::Phase::Ready || piece.phase == Piece::Phase::Flying;
    standing.questions_open += open ? 1 : 0;
  }
  if (terms_.wish.uploads()) standing.to_upload = uploads_.left();
  return standing;
}

std::size_t OneShotSync::open(Wire::Purpose purpose) const {
  return static_cast<std::size_t>(std::count_if(wires_.begin(), wires_.end(), [&](auto& one) {
    return one.second.purpose == purpose && !one.second.ended;
  }));
}

bool OneShotSync::take_token(core::Now now) {
  if (pace_.ready_at(now.instant) > now.instant) return false;
  pace_.take(now.instant);
  return true;
}

void OneShotSync::pump(core::Now now) {
  now_ = now.instant;
  const bool deciding = auth_ == Auth::Wanted || auth_ == Auth::Asked;
  if (is_ending() || !connected_ || deciding || now.instant < paused_until_) return;  // R6
  continue_reconciliations(now);
  while (send_fetch(now)) {
  }
  while (!is_ending() && send_piece(now)) {
  }
  if (terms_.wish.uploads()) send_uploads(now);
}

void OneShotSync::continue_reconciliations(core::Now now) {
  for (auto& [sub, wire] : wires_) {
    if (!wire.next || !take_token(now)) continue;
    words_.push_back(says::neg_message(sub, *wire.next));
    wire.next.reset();
  }
}

// Room for one more REQ?
bool OneShotSync::may_read(core::Now now) const {
  const std::size_t transients = open(Wire::Purpose::Page) + open(Wire::Purpose::Fetch);
  return transients < budget_.transients_max && wires_.size() < budget_.slots &&
         at_intake_.size() < kAtIntakeMax && now.instant >= fetch_not_before_;
}

bool OneShotSync::send_fetch(core::Now now) {
  // While more is being found out, small requests wait to become larger ones.
  const bool worth_it = desk_.queued() >= budget_.ids_per_fetch ||
                        (desk_.has_work() && open(Wire::Purpose::Reconcile) == 0) ||
                        (desk_.has_work() && open(Wire::Purpose::Fetch) == 0);
  if (!worth_it || !may_read(now) || !take_token(now)) return false;
  const auto ids = desk_.take(budget_.ids_per_fetch);
  if (ids.empty()) return false;
  nostr::Filter filter;
  filter.ids = ids;
  filter.limit = ids.size();
  nostr::normalise(filter);
  Wire wire{.purpose = Wire::Purpose::Fetch};
  wire.ids.insert(ids.begin(), ids.end());
  const std::string sub = add_wire(now, std::move(wire));
  words_.push_back(says::req(sub, std::span(&filter, 1)));
  return true;
}

bool OneShotSync::send_piece(core::Now now) {
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const Piece& piece = pieces_[i];
    if (piece.phase != Piece::Phase::Ready || now.instant < piece.not_before) continue;
    if (!reconciles(piece)) {
      if (!may_read(now) || !take_token(now)) return false;
      open_page(now, i);
      return true;
    }
    const bool space = open(Wire::Purpose::Reconcile) < budget_.reconciliations_max &&
                       wires_.size() < budget_.slots;
    return space && pace_.ready_at(now.instant) <= now.instant && open_reconciliation(now, i);
  }
  return false;
}

bool OneShotSync::open_reconciliation(core::Now now, std::size_t index) {
  const nostr::Filter filter = within(pieces_[index].filter, pieces_[index].window);
  const std::uint64_t max =
      std::min(terms_.items_max, budget_.window_items.value_or(terms_.items_max));
  const auto items = inventory_.items(filter, max, now.unix_seconds);
  if (!items) {
    give_up(now, items.error());
    return false;
  }
  if (!items->complete) {  // R2
    split(now, index, items->middle);
    return true;
  }
  pace_.take(now.instant);
  Wire wire{.purpose = Wire::Purpose::Reconcile, .piece = index};
  wire.middle = items->middle;
  wire.ours = items->set->size();
  wire.initiator.emplace(items->set, negentropy::Options{.frame_max = budget_.frame_bytes});
  const std::string first = wire.initiator->initial_message();
  pieces_[index].phase = Piece::Phase::Flying;
  words_.push_back(says::neg_open(add_wire(now, std::move(wire)), filter, first));
  return true;
}

void OneShotSync::open_page(core::Now now, std::size_t index) {
  Piece& piece = pieces_[index];
  if (!piece.pages) piece.pages.emplace(piece.filter, piece.window, budget_.page_limits);
  piece.phase = Piece::Phase::Flying;
  Wire wire{.purpose = Wire::Purpose::Page, .piece = index};
  wire.filter = piece.pages->ask();
  const nostr::Filter filter = wire.filter;
  const std::string sub = add_wire(now, std::move(wire));
  words_.push_back(says::req(sub, std::span(&filter, 1)));
}

std::string OneShotSync::add_wire(core::Now now, Wire wire) {
  std::string sub = fmt::format("g{}", ++wire_number_);
  wire.opened = now.instant;
  wires_.emplace(sub, std::move(wire));
  ++report_.requests;
  return sub;
}

void OneShotSync::close_wire(Wires::iterator at) {
  const bool reconciles = at->second.purpose == Wire::Purpose::Reconcile;
  words_.push_back(reconciles ? says::neg_close(at->first) : says::close(at->first));
  wires_.erase(at);
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

}  // namespace graspd::app
