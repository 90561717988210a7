#include "app/sync_once/history_dialogue.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <fmt/format.h>

#include "core/check.h"
#include "nostr/serialize.h"

namespace graspd::app {
namespace {

using namespace std::chrono_literals;
namespace said = nostr::relay_said;
namespace says = nostr::client_says;

constexpr std::uint32_t kSetbacksMax = 40;

// Somebody waits at a terminal: pauses are shorter than a server's, and nothing is put off.
sync::Options options_of(bool negentropy) {
  sync::Options options;
  options.negentropy = negentropy;
  options.rate_pause = 5s;
  options.rate_pause_max = 65s;
  return options;
}

std::string wire_name(sync::Sub sub) { return fmt::format("g{}", sub.value); }

sync::Sub sub_of(const std::string& name) {
  sync::Sub sub{};
  if (name.starts_with('g')) std::from_chars(name.data() + 1, name.data() + name.size(), sub.value);
  return sub;  // ours begin with 1
}

nostr::Filter timeless(nostr::Filter filter) {
  filter.since.reset();
  filter.until.reset();
  return filter;
}

bool holds(const sync::Window& window, core::UnixSeconds at) {
  return (!window.since || *window.since <= at) && (!window.until || at <= *window.until);
}

template <class... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};

}  // namespace

HistoryDialogue::HistoryDialogue(Terms terms, const Inventory& inventory, HistoryOwner& owner)
    : terms_(std::move(terms)),
      inventory_(inventory),
      owner_(owner),
      context_(options_of(terms_.negentropy), core::Rng(1)),
      memory_{.id = sync::RelayId{0}, .url = terms_.peer} {
  memory_.information = terms_.information;
  for (const nostr::Filter& filter : terms_.filters) {
    if (filter.is_impossible()) continue;
    const std::uint32_t id = context_.index.give(timeless(filter));
    memory_.once.push_back({{sync::FilterClass::Given, {id}}, {filter.since, filter.until}});
  }
}

void HistoryDialogue::connected(core::Now now) {
  if (memory_.once.empty()) is_over_ = true;
  session_ =
      std::make_unique<sync::PeerSession>(context_, memory_, sync::Session{++sessions_}, now);
  if (is_over_) return;  // there may be something to send
  if (sessions_ == 1) {
    session_->start_fresh(now, sync::Source::Historic);
  } else {
    session_->start_quick(now);
  }
  session_->pump(now);
  settle(now);
}

void HistoryDialogue::disconnected(core::Now now) {
  if (session_) session_->end(now);
  session_.reset();
  context_.actions.clear();
  open_.clear();
  reconciliations_.clear();
  challenge_.reset();
  answer_.reset();
  is_challenge_awaited_ = is_known_ = is_denied_ = false;
}

bool HistoryDialogue::hear(core::Now now, nostr::RelayMessage& message) {
  return std::visit(
      Overloaded{[&](said::Ok& in) { return on_ok(now, in); }, [](said::Unknown&) { return true; },
                 [&](auto& in) {
                   on(now, in);
                   return true;
                 }},
      message);
}

template <class In>
void HistoryDialogue::tell(core::Now now, const In& in) {
  if (!session_) return;
  session_->on(now, in);
  settle(now);
}

void HistoryDialogue::tick(core::Now now, bool may_request) {
  if (!session_ || is_over_) return;
  session_->tick(now);
  if (may_request) session_->pump(now);
  settle(now);
}

void HistoryDialogue::settle(core::Now now) {
  while (session_ && !context_.actions.empty()) {
    for (const sync::Action& action : std::exchange(context_.actions, {})) perform(now, action);
  }
  if (session_ && !session_->offence().empty())
    owner_.give_up(now, fmt::format("the relay {}", session_->offence()));
  see_whether_over();
}

void HistoryDialogue::see_whether_over() {
  if (!session_ || is_over_) return;
  const auto& batches = session_->history().batches();
  const bool is_in_vain = memory_.meter.rereads > kTriesMax;
  if (is_in_vain) troubles_.push_back("answers that looked whole were not");
  is_over_ = is_in_vain || (batches.empty() && !memory_.reread_at);
  if (is_over_ || batches.empty()) return;
  const sync::Batch& batch = batches.begin()->second;
  questions_ = std::max(questions_, batch.jobs.size());
  bool is_busy = false, is_final = true;
  for (const auto& [number, job] : batch.jobs) {
    if (job.phase == sync::Job::Phase::Done) continue;
    is_busy |= job.phase != sync::Job::Phase::Stuck;
    is_final &= sync::read_refusal(job.why).kind != sync::RefusalKind::Other;
  }
  if (!is_busy && (is_final || memory_.meter.batches_failed >= kTriesMax)) give_up_rest(batch);
}

void HistoryDialogue::give_up_rest(const sync::Batch& batch) {
  is_over_ = true;
  for (const auto& [number, job] : batch.jobs) {
    if (job.phase != sync::Job::Phase::Stuck) continue;
    troubles_.push_back(fmt::format("some of the history could not be read: {}", job.why));
    for (const sync::Slice& slice : job.slices)
      unread_.push_back({context_.index.given(slice.ids.front()), job.window});
  }
}

void HistoryDialogue::perform(core::Now now, const sync::Action& action) {
  std::visit(Overloaded{
                 [&](const sync::Subscribe& a) {
                   ++requests_;
                   has_paged_ |= !a.filters->front().ids;
                   open_[a.sub] = a.filters;
                   frames_.push_back(says::req(wire_name(a.sub), *a.filters));
                 },
                 [&](const sync::Unsubscribe& a) {
                   open_.erase(a.sub);
                   frames_.push_back(says::close(wire_name(a.sub)));
                 },
                 [&](const sync::NegOpen& a) { open(now, a); },
                 [&](const sync::NegContinue& a) {
                   auto& next = reconciliations_.at(a.sub).next;
                   frames_.push_back(says::neg_message(wire_name(a.sub), *next));
                   next.reset();
                 },
                 [&](const sync::NegClose& a) {
                   if (reconciliations_.erase(a.sub) == 0) return;  // it was not sent
                   frames_.push_back(says::neg_close(wire_name(a.sub)));
                 },
                 [&](const sync::Authenticate&) {
                   is_challenge_awaited_ = !challenge_;
                   if (challenge_) reply_to_challenge(now);
                 },
                 [&](const sync::LookUp& a) {
                   sync::LookedUp found{a.relay, a.session, {}};
                   for (const nostr::EventId& id : a.ids) {
                     if (inventory_.knows(id)) found.known.push_back(id);
                   }
                   session_->on(now, found);
                 },
                 [&](const sync::Log& a) {
                   const std::string prefix = fmt::format("sync: {} ", memory_.url.text());
                   if (a.level < core::log::Level::Info || !a.text.starts_with(prefix)) return;
                   terms_.notice(a.text.substr(prefix.size()));
                 },
                 [](const auto&) {},  // of a server that follows many relays
             },
             action);
}

void HistoryDialogue::open(core::Now now, const sync::NegOpen& action) {
  const std::uint64_t max = std::min(terms_.items_max, action.items_max.value_or(terms_.items_max));
  const auto items = inventory_.items(action.filter, max, now.unix_seconds);
  if (!items) return owner_.give_up(now, items.error());
  if (!items->complete) {
    return session_->on(now, sync::NegFailed{action.relay,
                                             action.session,
                                             action.sub,
                                             sync::NegProblem::OursTooLarge,
                                             "",
                                             {},
                                             items->middle});
  }
  ++requests_;
  Reconciliation& one = reconciliations_[action.sub];
  one.filter = action.filter;
  one.middle = items->middle;
  one.ours = items->set->size();
  one.initiator.emplace(items->set, negentropy::Options{.frame_max = action.frame_bytes_max});
  frames_.push_back(
      says::neg_open(wire_name(action.sub), action.filter, one.initiator->initial_message()));
  session_->on(now, sync::NegOpened{action.relay, action.session, action.sub});
}

void HistoryDialogue::judged(core::Now now, sync::Sub sub, const nostr::EventId& id,
                             nostr::Outcome outcome) {
  if (!session_) return;
  tell(now, sync::EventJudged{memory_.id, session_->session(), sub, id, 0, outcome});
}

void HistoryDialogue::on(core::Now now, said::Matching& in) {
  const sync::Sub sub = sub_of(in.subscription);
  const auto at = open_.find(sub);
  if (at == open_.end() || !session_) return;  // it was closed while this was on the way
  sync::EventArrived arrived{memory_.id, session_->session(), sub, in.event.id,
                             in.event.created_at};
  arrived.matched = sync::matching_filters(*at->second, in.event);
  if (arrived.matched == 0) {
    owner_.unasked();
  } else {
    setbacks_ = 0;
    owner_.progressed(now);
    const bool by_id = at->second->front().ids.has_value();
    arrived.outcome = owner_.arrived(sub, std::move(in.event), by_id);
  }
  tell(now, arrived);
}

void HistoryDialogue::on(core::Now now, said::EndOfStored& in) {
  const sync::Sub sub = sub_of(in.subscription);
  if (!open_.contains(sub) || !session_) return;
  setbacks_ = 0;
  owner_.progressed(now);
  tell(now, sync::EndOfStored{memory_.id, session_->session(), sub, in.completeness});
}

void HistoryDialogue::refused(core::Now now, const std::string& text) {
  if (++setbacks_ > kSetbacksMax)
    owner_.give_up(now, fmt::format("the relay keeps refusing: {}", text));
}

void HistoryDialogue::on(core::Now now, said::Closed& in) {
  const sync::Sub sub = sub_of(in.subscription);
  if (!session_ || open_.erase(sub) + reconciliations_.erase(sub) == 0) return;
  refused(now, in.text);
  tell(now, sync::Closed{memory_.id, session_->session(), sub, in.text});
}

void HistoryDialogue::on(core::Now now, said::NegError& in) {
  const sync::Sub sub = sub_of(in.subscription);
  const auto at = reconciliations_.find(sub);
  if (at == reconciliations_.end() || !session_) return;
  const auto middle = at->second.middle;
  reconciliations_.erase(at);
  refused(now, in.text);
  tell(now, sync::NegFailed{memory_.id, session_->session(), sub, sync::NegProblem::Refused,
                            in.text, in.cap, middle});
}

void HistoryDialogue::on(core::Now now, said::Notice& in) {
  terms_.notice(in.text);
  if (session_) tell(now, sync::Notice{memory_.id, session_->session(), in.text});
}

void HistoryDialogue::on(core::Now now, said::NegMessage& in) {
  const sync::Sub sub = sub_of(in.subscription);
  const auto at = reconciliations_.find(sub);
  if (at == reconciliations_.end() || at->second.next || !session_) return;
  Reconciliation& one = at->second;
  auto step = one.initiator->reconcile(in.message);
  if (!step) {
    const auto text = "invalid: " + std::string(negentropy::describe(step.error()));
    reconciliations_.erase(at);
    return tell(now,
                sync::NegFailed{
                    memory_.id, session_->session(), sub, sync::NegProblem::Refused, text, {}, {}});
  }
  setbacks_ = 0;
  owner_.progressed(now);
  sync::NegStepped stepped{memory_.id, session_->session(), sub, {}, !step->next};
  for (const negentropy::Id& id : step->need) {
    if (owner_.missing(nostr::EventId(id))) stepped.need.emplace_back(id);
  }
  for (const negentropy::Id& id : step->have) owner_.lacking(nostr::EventId(id));
  one.only_ours += step->have.size();
  one.next = std::move(step->next);
  if (stepped.finished) {
    const Compared compared{timeless(one.filter), {one.filter.since, one.filter.until}};
    const bool is_new = std::ranges::none_of(compared_, [&](const Compared& other) {
      return other.window == compared.window && other.filter == compared.filter;
    });
    if (is_new) {  // not compared on a connection that was lost
      owner_.in_both(one.ours - std::min(one.ours, one.only_ours));
      compared_.push_back(compared);
    }
  }
  tell(now, stepped);
}

void HistoryDialogue::identify(core::Now now) {
  if (!session_) return;
  session_->identify(now);
  settle(now);
}

void HistoryDialogue::on(core::Now now, said::Challenge& in) {
  challenge_ = std::move(in.text);
  if (!std::exchange(is_challenge_awaited_, false)) return;
  reply_to_challenge(now);
  settle(now);
}

void HistoryDialogue::reply_to_challenge(core::Now now) {
  const auto event = terms_.answer ? terms_.answer(*challenge_) : std::nullopt;
  if (event) {
    answer_ = event->id;
    frames_.push_back(says::auth(nostr::to_json(*event)));
  } else if (session_) {
    is_denied_ = true;
    session_->on(now, sync::Authenticated{memory_.id, session_->session(), false, "no key"});
  }
}

bool HistoryDialogue::on_ok(core::Now now, const said::Ok& in) {
  if (answer_ != in.id) return false;
  answer_.reset();
  owner_.progressed(now);
  is_known_ = in.accepted;
  is_denied_ = !in.accepted;
  if (!in.accepted) troubles_.push_back(fmt::format("the relay denies access: {}", in.text));
  if (session_)
    tell(now, sync::Authenticated{memory_.id, session_->session(), in.accepted, in.text});
  return true;
}

bool HistoryDialogue::awaits() const {
  if (!session_ || is_identifying()) return true;
  const auto& wires = session_->wires().all();
  return std::ranges::any_of(wires, [](const auto& one) { return !one.second.more; });
}

std::optional<core::Instant> HistoryDialogue::paused_until(core::Now now) const {
  if (!memory_.health.is_paused(now)) return std::nullopt;
  return memory_.health.paused_until();
}

std::pair<std::size_t, std::size_t> HistoryDialogue::standing() const {
  if (is_over_ || !session_ || session_->history().batches().empty()) return {questions_, 0};
  const auto& jobs = session_->history().batches().begin()->second.jobs;
  const auto open = std::ranges::count_if(jobs, [](const auto& one) {
    return one.second.phase == sync::Job::Phase::Ready ||
           one.second.phase == sync::Job::Phase::Flying;
  });
  return {std::max(questions_, jobs.size()), static_cast<std::size_t>(open)};
}

bool HistoryDialogue::is_paged(std::size_t filter, core::UnixSeconds at) const {
  const nostr::Filter given = timeless(terms_.filters[filter]);
  const auto has = [&](const Compared& one) {
    return one.filter == given && holds(one.window, at);
  };
  return std::ranges::none_of(compared_, has) && std::ranges::none_of(unread_, has);
}

}  // namespace graspd::app
