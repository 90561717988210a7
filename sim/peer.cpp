#include "sim/peer.h"

#include <algorithm>
#include <utility>

#include "sim/events.h"

namespace graspd::sim {
namespace {

std::size_t bytes_of(const std::vector<nostr::Filter>& filters) {
  std::size_t bytes = 0;
  for (const nostr::Filter& filter : filters) {
    bytes += 20;
    for (const auto& condition : filter.tags) {
      for (const std::string& value : condition.values) bytes += value.size() + 3;
    }
    if (filter.ids) bytes += 67 * filter.ids->size();
  }
  return bytes;
}

bool has_long_value(const std::vector<nostr::Filter>& filters) {
  for (const nostr::Filter& filter : filters) {
    for (const auto& condition : filter.tags) {
      for (const std::string& value : condition.values) {
        if (value.size() > 255) return true;
      }
    }
  }
  return false;
}

bool has_value(const std::vector<nostr::Filter>& filters, const std::string& value) {
  for (const nostr::Filter& filter : filters) {
    for (const auto& condition : filter.tags) {
      const auto& values = condition.values;
      if (std::find(values.begin(), values.end(), value) != values.end()) return true;
    }
  }
  return false;
}

bool is_live_only(const nostr::Filter& filter) { return filter.limit == 0; }

}  // namespace

bool Peer::accepts_dial() {
  if (healed) return true;
  return !habits.down && !fault(habits.refuse_dial_one_in);
}

void Peer::connected(sync::RelayId relay, sync::Session session) {
  relay_ = relay;
  session_ = session;
  subs_.clear();
  negs_.clear();
  authenticated_ = false;
  sent_on_connection_ = 0;
  wants_cut = false;
}

void Peer::disconnected() {
  session_.reset();
  subs_.clear();
  negs_.clear();
}

Deliveries Peer::authenticate(const sync::Authenticate& ask) {
  if (habits.never_answers_auth) return {};
  if (habits.auth_rate_refusals > 0) {
    --habits.auth_rate_refusals;
    const std::string words = "rate-limited: slow down";
    return {{habits.latency, sync::Authenticated{ask.relay, ask.session, false, words}, {}}};
  }
  authenticated_ = true;
  return {{habits.latency, sync::Authenticated{ask.relay, ask.session, true, ""}, {}}};
}

bool Peer::over_rate(core::Instant now) {
  if (!habits.requests_per_minute) return false;
  std::erase_if(recent_, [&](core::Instant at) { return now - at > 60s; });
  if (recent_.size() >= *habits.requests_per_minute) return true;
  recent_.push_back(now);
  return false;
}

std::optional<std::string> Peer::refusal(core::Instant now, const sync::Subscribe& ask) {
  const auto& filters = *ask.filters;
  if (over_rate(now)) {
    ++rate_refusals;
    return "rate-limited: too many queries";
  }
  if (habits.needs_auth && !authenticated_) return "auth-required: who are you?";
  if (habits.restricted) return "restricted: not a member";
  if (habits.refuses_ids && filters[0].ids) return "blocked: ask by filter";
  for (const nostr::Filter& filter : filters) {
    if (habits.limit_max && filter.limit.value_or(0) > *habits.limit_max) {
      return "invalid: limit must be at most " + std::to_string(*habits.limit_max);
    }
    const bool is_too_much =
        habits.results_max && !is_live_only(filter) && count_of(filter) > *habits.results_max;
    if (is_too_much) return "error: too many results";
  }
  if (habits.filters_max && filters.size() > *habits.filters_max) {
    return "rate-limited: REQ exceeds max filter count " + std::to_string(*habits.filters_max);
  }
  if (habits.subscriptions_max && subs_.size() >= *habits.subscriptions_max) {
    return habits.words_of_too_many;
  }
  std::size_t retained = bytes_of(filters);
  for (const auto& [sub, open] : subs_) retained += bytes_of(*open);
  if (habits.retained_bytes_max && retained > *habits.retained_bytes_max) {
    return "rate-limited: active subscriptions exceed max size " +
           std::to_string(*habits.retained_bytes_max) + " bytes";
  }
  if (habits.refuses_live && std::any_of(filters.begin(), filters.end(), is_live_only)) {
    return "error: not now";
  }
  if (habits.refuses_limit_zero && std::any_of(filters.begin(), filters.end(), is_live_only)) {
    return "invalid: filter 'limit' must be a positive integer";
  }
  if (habits.refuses_long_values && has_long_value(filters))
    return "invalid: filter item too large";
  if (!healed && !habits.refuses_value.empty() && has_value(filters, habits.refuses_value))
    return "error: unsupported filter";
  if (fault(habits.close_one_in)) return "error: internal";
  return std::nullopt;
}

std::size_t Peer::count_of(const nostr::Filter& filter) const {
  return static_cast<std::size_t>(
      std::count_if(events.begin(), events.end(),
                    [&](const nostr::Event& event) { return filter.matches(event); }));
}

std::vector<nostr::Event> Peer::answer(nostr::Filter filter) const {
  if (habits.ignores_until) filter.until.reset();
  std::vector<nostr::Event> page;
  for (const nostr::Event& event : events) {
    if (filter.matches(event)) page.push_back(event);
  }
  std::stable_sort(page.begin(), page.end(), [](const auto& a, const auto& b) {
    return a.created_at != b.created_at ? a.created_at > b.created_at : a.id < b.id;
  });
  const bool ignores_limit = habits.ignores_limit && !healed;
  const std::size_t asked = ignores_limit ? cap() : filter.limit.value_or(cap());
  if (page.size() > std::min(asked, cap())) page.resize(std::min(asked, cap()));
  return page;
}

bool Peer::send_event(Deliveries& out, core::Duration after, sync::Sub sub,
                      const nostr::Event& event) {
  if (habits.withheld.contains(event.id)) return true;
  sync::EventArrived arrived{*relay_, *session_, sub, event.id, event.created_at, true, {}};
  if (habits.forged.contains(event.id)) out.push_back({after, arrived, event, true});
  out.push_back({after, arrived, event, false});
  if (habits.sends_twice && !healed) out.push_back({after, arrived, event, false});
  ++events_sent;
  if (!healed && ++sent_on_connection_ >= habits.cut_after) wants_cut = true;
  return !wants_cut;
}

Deliveries Peer::request(core::Instant now, const sync::Subscribe& ask) {
  ++requests;
  if (records) heard.push_back(ask);
  Deliveries out;
  core::Duration after = habits.latency;
  if (const auto why = refusal(now, ask)) {
    ++refusals;
    if (habits.slow_refusals) after += 200ms * refusals;
    const bool is_rate = why->starts_with("rate-limited: too many");
    if (habits.refuses_by_notice || (habits.limits_by_notice && is_rate)) {
      out.push_back({after, sync::Notice{ask.relay, ask.session, *why}, {}});
    } else {
      out.push_back({after, sync::Closed{ask.relay, ask.session, ask.sub, *why}, {}});
    }
    return out;
  }
  if (fault(habits.mute_one_in)) return out;
  if (!healed && habits.deaf && is_live_only(ask.filters->front())) return out;
  if (fault(habits.notice_one_in)) {
    out.push_back({after, sync::Notice{ask.relay, ask.session, "slow down please"}, {}});
  }
  subs_[ask.sub] = ask.filters;
  subs_high = std::max(subs_high, subs_.size());
  std::set<nostr::EventId> sent;
  after += habits.first_frame;
  const bool cut = fault(habits.cut_one_in);
  bool complete = true;
  for (const nostr::Filter& filter : *ask.filters) {
    if (is_live_only(filter)) continue;
    const auto page = answer(filter);
    complete &= page.size() < std::min<std::size_t>(cap(), filter.limit.value_or(cap()));
    for (const nostr::Event& event : page) {
      if (!sent.insert(event.id).second) continue;
      ids_given.insert(event.id);
      if (!send_event(out, after += habits.between_events, ask.sub, event)) return out;
      if (cut && rng_.one_in(5)) {
        wants_cut = true;
        return out;
      }
    }
  }
  if (fault(habits.stray_one_in) && !events.empty()) {
    send_event(out, after, ask.sub, events[rng_.below(events.size())]);
  }
  if (!healed && habits.floods) {
    for (int i = 0; i < 200 && !events.empty(); ++i) {
      send_event(out, after, ask.sub, events[rng_.below(events.size())]);
    }
  }
  if (!healed && habits.never_eose) return out;
  const auto hint = !habits.hints ? nostr::Completeness::Unknown
                    : complete    ? nostr::Completeness::Finished
                                  : nostr::Completeness::More;
  const sync::EndOfStored eose{ask.relay, ask.session, ask.sub, hint};
  out.push_back({after += 1ms, eose, {}});
  if (!healed && habits.eose_twice) out.push_back({after += 1ms, eose, {}});
  return out;
}

Deliveries Peer::close_all(const std::string& why) {
  Deliveries out;
  for (const auto& [sub, filters] : std::exchange(subs_, {})) {
    out.push_back({habits.latency, sync::Closed{*relay_, *session_, sub, why}, {}});
  }
  return out;
}

Deliveries Peer::publish(const nostr::Event& event) {
  events.push_back(event);
  Deliveries out;
  for (const auto& [sub, filters] : subs_) {
    const bool matches = std::any_of(filters->begin(), filters->end(), [&](nostr::Filter filter) {
      filter.since.reset();
      return filter.matches(event);
    });
    if (matches && !fault(habits.lose_live_one_in)) send_event(out, habits.latency, sub, event);
  }
  return out;
}

Deliveries Peer::reconcile(core::Instant now, const sync::NegOpen& ask,
                           const std::map<nostr::EventId, nostr::Event>& known) {
  ++requests;
  ++reconciliations;
  Deliveries out;
  const core::Duration after = habits.latency;
  out.push_back({0ms, sync::NegOpened{ask.relay, ask.session, ask.sub}, {}});
  const auto fail = [&](std::string text, std::optional<std::uint64_t> cap = {}) {
    out.push_back(
        {after,
         sync::NegFailed{
             ask.relay, ask.session, ask.sub, sync::NegProblem::Refused, std::move(text), cap, {}},
         {}});
    return out;
  };
  if (over_rate(now)) {
    ++rate_refusals;
    return fail("rate-limited: too many queries");
  }
  switch (habits.negentropy) {
    case Negentropy::Works:
      break;
    case Negentropy::Absent:
    case Negentropy::Notice:
      out.push_back({after, sync::Notice{ask.relay, ask.session, "bad msg: unknown command"}, {}});
      return out;
    case Negentropy::Silent:
      return out;
    case Negentropy::Error:
      return fail("error: negentropy disabled");
  }
  if (fault(habits.mute_one_in)) return out;
  std::vector<nostr::EventId> need;
  std::size_t count = 0;
  for (const nostr::Event& event : events) {
    if (!ask.filter.matches(event)) continue;
    ++count;
    if (!known.contains(event.id)) need.push_back(event.id);
  }
  if (habits.negentropy_cap && count > *habits.negentropy_cap) {
    if (habits.refuses_by_notice) {
      out.push_back({after, sync::Notice{ask.relay, ask.session, habits.words_of_too_large}, {}});
      return out;
    }
    const bool says_cap = habits.words_of_too_large.starts_with("rate-limited");
    return fail(habits.words_of_too_large, says_cap ? habits.negentropy_cap : std::nullopt);
  }
  if (fault(habits.close_one_in)) return fail("closed: internal");
  const std::size_t ours = count - need.size();  // of our items those that it has too
  for (std::size_t i = 0; i < habits.invents; ++i) need.push_back(event_id(1'000'000'000 + i));
  neg_ours_[ask.sub] = ours;
  negs_[ask.sub] = std::move(need);
  auto step = reconcile_on(now, {ask.relay, ask.session, ask.sub});
  out.insert(out.end(), step.begin(), step.end());
  return out;
}

Deliveries Peer::reconcile_on(core::Instant, const sync::NegContinue& ask) {
  const auto at = negs_.find(ask.sub);
  if (at == negs_.end()) return {};
  auto& need = at->second;
  const std::size_t now_told = std::min<std::size_t>(need.size(), 100);
  sync::NegStepped step{ask.relay,         ask.session, ask.sub, {}, need.size() == now_told,
                        neg_ours_[ask.sub]};
  step.need.assign(need.end() - static_cast<std::ptrdiff_t>(now_told), need.end());
  need.resize(need.size() - now_told);
  return {{habits.latency, std::move(step), {}}};
}

}  // namespace graspd::sim
