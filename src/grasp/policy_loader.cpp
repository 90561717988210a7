// Rule numbers are those of grasp/policy.h.
#include "grasp/policy_loader.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "core/log.h"
#include "nostr/json.h"
#include "nostr/replaceable.h"

namespace graspd::grasp {
namespace {

constexpr std::string_view kWithheldPrefix = "withheld/";
// The rules under which the events were refused that are remembered.
constexpr std::string_view kRulesKey = "rules";
// The service of the last run, as its domain and its mount.
constexpr std::string_view kServiceKey = "service";

std::string domain_of(const Service& service) {
  return service.port ? fmt::format("{}:{}", service.host, *service.port) : service.host;
}

std::string service_text(const Service& service) {
  return fmt::format("{} {}", domain_of(service), service.mount.empty() ? "/" : service.mount);
}

store::Note withheld_note(const nostr::EventId& id, std::optional<std::string> json) {
  return {std::string(kWithheldPrefix) + id.hex(), std::move(json)};
}

}  // namespace

core::Result<core::Done, store::StoreError> PolicyLoader::load(core::UnixSeconds now) {
  const auto here = store_.snapshot();
  if (!here) return core::Failure{here.error()};
  std::string known_rules, known_service;
  const auto recall = [&](std::string_view key, std::string_view value) {
    if (key == kRulesKey)
      known_rules = value;
    else if (key == kServiceKey)
      known_service = value;
    else if (key.starts_with(kWithheldPrefix) && load_withheld(value, **here, now))
      return;
    else if (!load_note(key, value, now))
      core::log::warn("a note of an earlier run cannot be read: {}", key);
  };
  // First, because what is served ends the memory of what was refused for lack of it.
  auto done = (*here)->notes(RejectedIds::kNotePrefix, recall);
  if (done) done = forget_what_is_ahead(**here, now);
  if (done) done = load_kind(**here, kinds::kAnnouncement, now);
  if (done) done = load_kind(**here, kinds::kState, now);
  const auto prefixes = {
      kWithheldPrefix,
      Purgatory::kNotePrefix,
      Expirations::kNotePrefix,
      state_.newest_announcements.prefix(),
      state_.newest_states.prefix(),
      ScheduledRemovals::kNotePrefix,
      ArchivedThreads::kNotePrefix,
      DeletionRequests::kNotePrefix,
      OrphanPool::kNotePrefix,
      state_.stranger_requests.prefix(),
      state_.stranger_lists.prefix(),
      kRulesKey,
      kServiceKey,
  };
  for (const std::string_view prefix : prefixes)
    if (done) done = (*here)->notes(prefix, recall);
  if (done) done = load_requests(**here, now);
  if (!done) return done;
  find_stranded(known_service);
  ahead_.clear();
  drop_settled(**here, now);
  state_.list_waiting(**here, owed_);
  forget_other_rules(state_, known_rules, owed_);
  state_.rejections.orphans().call_all();
  return done;
}

core::Result<core::Done, store::StoreError> PolicyLoader::load_kind(const store::Snapshot& here,
                                                                    nostr::Kind kind,
                                                                    core::UnixSeconds now) {
  nostr::Filter filter;
  filter.kinds = {{kind}};
  store::Cursor cursor({filter}, std::numeric_limits<store::Serial>::max());
  nostr::JsonReader reader;
  Transition none;
  const auto visit = [&](const store::Found& found) {
    const auto event = reader.event(found.json);
    if (!event || ahead_.contains(event->id)) return;
    kind == kinds::kAnnouncement ? load_announcement(*event, found.json, none)
                                 : state_.apply_stored(*event, none);
  };
  for (;;) {
    const auto read = here.read(cursor, {}, now, visit);
    if (!read) return core::Failure{read.error()};
    if (*read == store::ReadState::Finished) return core::Done{};
  }
}

// Those that an older program stored begin their term now.
core::Result<core::Done, store::StoreError> PolicyLoader::load_requests(const store::Snapshot& here,
                                                                        core::UnixSeconds now) {
  if (state_.rules().options().ignores_requests) return core::Done{};
  nostr::Filter filter;
  filter.kinds = {{nostr::kinds::kDeletion, nostr::kinds::kVanish}};
  store::Cursor cursor({filter}, std::numeric_limits<store::Serial>::max());
  nostr::JsonReader reader;
  const auto visit = [&](const store::Found& found) {
    const auto event = reader.event(found.json);
    if (event && !ahead_.contains(event->id)) state_.requests.add(*event, now, owed_);
  };
  for (;;) {
    const auto read = here.read(cursor, {}, now, visit);
    if (!read) return core::Failure{read.error()};
    if (*read == store::ReadState::Finished) return core::Done{};
  }
}

// R18
void PolicyLoader::find_stranded(const std::string& known_service) {
  const std::string text = service_text(state_.rules().options().service);
  if (known_service == text) return;
  owed_.put_note({std::string(kServiceKey), text});
  const auto space = known_service.find(' ');
  if (space == known_service.npos) return;
  auto former = Service::parse(known_service.substr(0, space), known_service.substr(space + 1));
  if (!former) return;
  former->clone_path_must_name_repository =
      state_.rules().options().service.clone_path_must_name_repository;
  state_.stranded.domain = domain_of(*former);
  state_.catalog.each([&](const Listing& listing) {
    if (!listing.hosts && listing.place == Place::Served &&
        lists_service(listing.announcement, *former))
      ++state_.stranded.repositories;
  });
}

// R7
void PolicyLoader::load_announcement(const nostr::Event& event, std::string_view json,
                                     Transition& changes) {
  const auto announced = state_.rules().read_announcement(event);
  if (announced && !state_.rules().is_unwelcome(*announced))
    return state_.apply_stored(event, changes);
  core::log::warn("the announcement {} is stored, but not wanted here", event.id.hex());
  if (!announced) return;
  relisting_.add(store::Remove{event.id});
  relisting_.put_note(withheld_note(event.id, std::string(json)));
}

// R7. What was deleted or replaced meanwhile has nothing to come back to.
bool PolicyLoader::load_withheld(std::string_view json, const store::Snapshot& here,
                                 core::UnixSeconds now) {
  auto event = nostr::JsonReader().event(json);
  if (!event || event->kind != kinds::kAnnouncement) return false;
  const auto wire =
      std::make_shared<nostr::WireEvent>(nostr::WireEvent{*std::move(event), std::string(json)});
  const auto outcome = here.judge(*wire, now);
  const auto announced = state_.rules().read_announcement(wire->event);
  if (!outcome || !announced) return false;
  const bool has_place = *outcome == store::Outcome::Stored;
  if (has_place && state_.rules().is_unwelcome(*announced)) return true;
  relisting_.put_note(withheld_note(wire->event.id, std::nullopt));
  Transition changes;
  if (has_place) {
    relisting_.add(store::Restore{wire});
    state_.apply_stored(wire->event, changes);
  } else if (!state_.catalog.find(announced->coordinate)) {
    state_.removals.schedule(announced->coordinate, now + state_.rules().options().removal_grace,
                             changes);
  }
  relisting_.append(std::move(changes));
  return true;
}

bool PolicyLoader::load_note(std::string_view key, std::string_view value, core::UnixSeconds now) {
  for (const NewestSeen* newest : {&state_.newest_announcements, &state_.newest_states})
    if (key.starts_with(newest->prefix()) &&
        state_.rules().is_too_far_ahead(NewestSeen::created_at(value), now)) {
      owed_.put_note({std::string(key), std::nullopt});  // R13
      return true;
    }
  return state_.apply(key, value, owed_);
}

// The crash may have come after a deletion was stored, and before it was applied here.
void PolicyLoader::drop_settled(const store::Snapshot& here, core::UnixSeconds now) {
  for (const nostr::WireEventPtr& wire : state_.purgatory.events()) {
    const auto outcome = here.judge(*wire, now);
    const bool is_ahead = state_.rules().is_too_far_ahead(wire->event.created_at, now);
    if (!outcome || (*outcome == store::Outcome::Stored && !is_ahead)) continue;
    const auto announced =
        wire->event.kind == kinds::kAnnouncement
            ? state_.rules().read_announcement(wire->event)
            : core::Result<Announcement, std::string>(core::Failure{std::string()});
    if (announced && !state_.catalog.find(announced->coordinate))
      state_.removals.schedule_unless_known(announced->coordinate, now);
    state_.give_up(wire->event, owed_);
  }
  for (const nostr::WireEventPtr& wire : state_.rejections.orphans().events()) {
    const auto outcome = here.judge(*wire, now);
    if (outcome && *outcome != store::Outcome::Stored)
      state_.rejections.orphans().leave(wire->event.id, owed_);
  }
}

void forget_other_rules(PolicyState& state, const std::string& known_rules, Transition& owed) {
  if (known_rules == state.rules().text()) return;
  state.rejections.ids().clear(owed);
  owed.put_note({std::string(kRulesKey), state.rules().text()});
}

}  // namespace graspd::grasp
