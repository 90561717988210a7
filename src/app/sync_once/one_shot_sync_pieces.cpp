#include <fmt/format.h>
#include <limits>

#include "app/sync_once/one_shot_sync.h"
#include "core/check.h"

namespace graspd::app {
namespace {

constexpr std::uint32_t kDepthMax = 28;      // from all years to a second
constexpr std::uint32_t kSplitsMax = 4'096;  // who calls every window too large is paged
// R4: of so many ids, at least a tenth has to come.
constexpr std::size_t kJudgedFrom = 20;

sync::JobKey key(std::size_t piece) { return {0, static_cast<std::uint32_t>(piece)}; }

}  // namespace

void OneShotSync::missing(std::size_t index, const nostr::EventId& id) {
  if (missing_.insert(id).second) ++report_.missing_here;
  if (!terms_.wish.stores() || handed_.contains(id) || !desk_.want(key(index), id)) return;
  ++pieces_[index].asked;
  ++pieces_[index].waiting;
}

void OneShotSync::lacking(const nostr::EventId& id) {
  // What is held or refused here is known, but nothing we could give.
  if (inventory_.stored(id) && uploads_.add(id)) ++report_.peer_lacks;
}

void OneShotSync::delivered(const nostr::EventId& id) {
  lost_.erase(id);
  for (const sync::JobKey job : desk_.settle(id)) {
    Piece& piece = pieces_[job.job];
    --piece.waiting;
    if (piece.phase == Piece::Phase::Fetching && piece.waiting == 0)
      piece.phase = Piece::Phase::Done;
  }
}

// Everything that came was judged.
void OneShotSync::finish_fetch(const Wire& wire) {
  std::vector<nostr::EventId> left;
  for (const nostr::EventId& id : wire.ids) {
    if (inventory_.knows(id))
      delivered(id);
    else
      left.push_back(id);
  }
  for (const nostr::EventId& id : desk_.left_out(left)) lose(id);
}

void OneShotSync::lose(const nostr::EventId& id) {
  lost_.insert(id);
  for (const sync::JobKey job : desk_.settle(id)) {
    Piece& piece = pieces_[job.job];
    --piece.waiting;
    ++piece.lost;
    if (piece.phase != Piece::Phase::Fetching || piece.waiting > 0) continue;
    piece.phase = Piece::Phase::Done;
    const bool hardly_any = 10 * (piece.asked - piece.lost) <= piece.asked;
    if (piece.asked >= kJudgedFrom && hardly_any) page_instead(job.job);  // R4
  }
}

void OneShotSync::finish_page(core::Now now, const Wire& wire) {
  Piece& piece = pieces_[wire.piece];
  CHECK(piece.pages);
  ++report_.pages;
  piece.pages->ended(wire.completeness, answers_);
  if (const std::string failure = piece.pages->failure(); !failure.empty())
    return fail(wire.piece, fmt::format("some of the history could not be read: {}", failure));
  piece.phase = piece.pages->is_done() ? Piece::Phase::Done : Piece::Phase::Ready;
  if (piece.phase == Piece::Phase::Done && terms_.wish.up) compare_seen(now, piece);
}

// R5
void OneShotSync::compare_seen(core::Now now, Piece& piece) {
  const auto items = inventory_.items(within(piece.filter, piece.window),
                                      std::numeric_limits<std::uint64_t>::max(), now.unix_seconds);
  if (!items) return give_up(now, items.error());
  for (const negentropy::Item& item : items->set->items()) {
    const nostr::EventId id(item.id);
    if (!piece.seen.contains(id)) lacking(id);
  }
  piece.seen.clear();
}

void OneShotSync::split(core::Now now, std::size_t index, std::optional<core::UnixSeconds> middle) {
  const auto parts = halves(pieces_[index].window, middle, now.unix_seconds);
  if (!parts || pieces_[index].depth >= kDepthMax || ++splits_ > kSplitsMax)
    return page_instead(index);
  Piece older;
  older.filter = pieces_[index].filter;
  older.window = parts->second;
  older.depth = ++pieces_[index].depth;
  pieces_[index].window = parts->first;
  pieces_[index].phase = Piece::Phase::Ready;
  pieces_.push_back(std::move(older));
}

void OneShotSync::page_instead(std::size_t index) {
  Piece& piece = pieces_[index];
  desk_.forget(key(index));
  piece.pages_only = true;
  piece.asked = piece.waiting = piece.lost = 0;
  piece.phase = Piece::Phase::Ready;
}

void OneShotSync::no_negentropy(std::size_t index, const std::string& text) {
  page_instead(index);
  if (negentropy_worked_ || !negentropy_) return;
  negentropy_ = false;
  terms_.notice(fmt::format("the relay does not reconcile ({}); reading page by page", text));
}

void OneShotSync::fail(std::size_t index, std::string_view why) {
  pieces_[index].phase = Piece::Phase::Failed;
  trouble(report_, why);
}

}  // namespace graspd::app
