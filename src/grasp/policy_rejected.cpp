// What need not come again, and when it may after all (R6).
#include <fmt/format.h>

#include "core/hex.h"
#include "core/sha256.h"
#include "grasp/policy.h"

namespace graspd::grasp {
namespace {

// Retries that one arrival causes at once; the others follow with later arrivals and sweeps.
constexpr std::size_t kRetriesMax = 512;
constexpr std::size_t kForgottenMax = 4'096;

// Changes with what is refused, and why: what an older program refused may then come again.
constexpr int kRulesVersion = 1;

// What would let it in: something it lacks, or the end of what is newer and may never be served.
std::vector<std::string> recalls_of(const nostr::Event& event, Reason reason) {
  if (reason == Reason::Lacking) return lacks_of(event);
  const auto address = reason == Reason::Superseded ? nostr::address_of(event) : std::nullopt;
  if (!address) return {};
  return {waits_for_end(*address)};
}

}  // namespace

void Policy::remember(const nostr::WireEventPtr& wire, const Origin& origin, Reason reason,
                      core::UnixSeconds now, Transition& changes) {
  const nostr::Event& event = wire->event;
  if (reason == Reason::Passing) return;
  if (reason == Reason::Lacking)
    orphans_.admit({wire, origin, now, lacks_of(event)}, changes);
  else
    orphans_.leave(event.id, changes);
  if (reason == Reason::None) return rejected_.erase(event.id, changes);
  if (origin.synced)
    rejected_.add(event, reason, origin.relay.get(), recalls_of(event, reason), now, changes);
}

void Policy::call(const std::string& key) {
  orphans_.call(key);
  rejected_.call(key);
}

void Policy::call(const std::vector<std::string>& keys) {
  for (const std::string& key : keys) call(key);
}

void Policy::call_wanted(const Coordinate& announcement) {
  for (const nostr::PublicKey& key : catalog_.concerned_by(announcement))
    call(waits_for_role(key, announcement.identifier));
}

void Policy::call_end(const nostr::Event& event) {
  if (const auto address = nostr::address_of(event)) call(waits_for_end(*address));
}

void Policy::answer_calls(Transition& changes) {
  for (RejectedIds::Forgotten& id : rejected_.forget_called(kForgottenMax, changes)) {
    const std::size_t type = event_type(id.kind);
    ++meter_.invalidated[type];
    if (orphans_.contains(id.id)) {
      if (orphans_.is_waiting(id.id)) orphans_.call_again(id.id);
    } else {
      ++meter_.hot_misses[type];
      if (id.relay) changes.add(AskAgain{*std::move(id.relay), id.id});
    }
  }
  for (Retry& retry : orphans_.take_called(kRetriesMax)) {
    ++meter_.hot_hits[event_type(retry.event->event.kind)];
    changes.add(std::move(retry));
  }
}

bool Policy::knows(const nostr::EventId& id) const {
  if (orphans_.contains(id)) return orphans_.is_waiting(id);
  return purgatory_.contains(id) || purgatory_.has_expired(id) || rejected_.contains(id);
}

std::vector<nostr::WireEventPtr> Policy::kept_events() const {
  auto all = purgatory_.events();
  auto waiting = orphans_.events();
  all.insert(all.end(), std::move_iterator(waiting.begin()), std::move_iterator(waiting.end()));
  return all;
}

RejectedMeter Policy::rejected_meter() const {
  RejectedMeter meter = meter_;
  meter.hot_current = orphans_.current();
  meter.hot_expired = orphans_.expired();
  meter.cold_current = rejected_.current();
  meter.cold_expired = rejected_.expired();
  return meter;
}

void Policy::use(AccessLists lists) {
  const std::string before = rules();
  options_.repository_whitelist = std::move(lists.repository_whitelist);
  options_.repository_blacklist = std::move(lists.repository_blacklist);
  options_.event_blacklist = std::move(lists.event_blacklist);
  options_.archive.whitelist = std::move(lists.archive_whitelist);
  forget_other_rules(before);
  if (before != rules()) orphans_.call_all();
}

std::string Policy::rules() const {
  const Service& service = options_.service;
  const std::string text =
      fmt::format("{} {} {} {} {} {} {} {} {} {} {}\n{}\n{}\n{}\n{}", kRulesVersion, service.host,
                  service.port.value_or(0), service.mount, service.clone_path_must_name_repository,
                  options_.relay ? options_.relay->text() : "-", options_.operator_key.hex(),
                  static_cast<int>(options_.membership), options_.pr_repositories,
                  options_.listed_max, options_.members_max, options_.repository_whitelist.text(),
                  options_.repository_blacklist.text(), options_.event_blacklist.text(),
                  options_.archive.text());
  return core::encode_hex(core::sha256(text));
}

}  // namespace graspd::grasp
