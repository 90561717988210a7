#include <algorithm>
#include <charconv>
#include <iterator>

#include "core/log.h"
#include "grasp/policy.h"
#include "nostr/json.h"
#include "nostr/replaceable.h"

namespace graspd::grasp {
namespace {

constexpr std::string_view kNewestSeenPrefix = "floor/", kRemovalPrefix = "removal/";
constexpr std::string_view kNewestStatePrefix = "state-floor/";
constexpr std::string_view kThreadsPrefix = "threads/";
constexpr std::string_view kWithheldPrefix = "withheld/";
// The rules under which the events were refused that are remembered.
constexpr std::string_view kRulesKey = "rules";

store::Note withheld_note(const nostr::EventId& id, std::optional<std::string> json) {
  return {std::string(kWithheldPrefix) + id.hex(), std::move(json)};
}

// "<owner>/<identifier>"
std::optional<Coordinate> parse_coordinate(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == text.npos) return std::nullopt;
  const auto owner = nostr::PublicKey::from_hex(text.substr(0, slash));
  const auto identifier = Identifier::parse(text.substr(slash + 1));
  if (!owner || !identifier) return std::nullopt;
  return Coordinate{*owner, *identifier};
}

core::UnixSeconds parse_time(std::string_view text) {
  core::UnixSeconds time = 0;
  std::from_chars(text.data(), text.data() + text.size(), time);
  return time;
}

}  // namespace

core::Result<core::Done, store::StoreError> Policy::load(core::UnixSeconds now) {
  const auto here = store_.snapshot();
  if (!here) return core::Failure{here.error()};
  std::string known_rules;
  const auto recall = [&](std::string_view key, std::string_view value) {
    if (key == kRulesKey)
      known_rules = value;
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
  for (const auto prefix :
       {kWithheldPrefix, Purgatory::kNotePrefix, Expirations::kNotePrefix, kNewestSeenPrefix,
        kNewestStatePrefix, kRemovalPrefix, kThreadsPrefix, OrphanPool::kNotePrefix, kRulesKey})
    if (done) done = (*here)->notes(prefix, recall);
  for (const StrangerPool* pool : {&requests_, &lists_})
    if (done) done = (*here)->notes(pool->prefix(), recall);
  if (!done) return done;
  ahead_.clear();
  drop_settled(**here, now);
  list_waiting();
  forget_other_rules(known_rules);
  orphans_.call_all();
  return done;
}

// The operator may have changed what is welcome: nothing stays out because of what was.
void Policy::forget_other_rules(const std::string& known_rules) {
  if (known_rules == rules()) return;
  rejected_.clear(owed_);
  owed_.put_note({std::string(kRulesKey), rules()});
}

core::Result<core::Done, store::StoreError> Policy::load_kind(const store::Snapshot& here,
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
                                 : stored_state(*event, none);
  };
  for (;;) {
    const auto read = here.read(cursor, {}, now, visit);
    if (!read) return core::Failure{read.error()};
    if (*read == store::ReadState::Finished) return core::Done{};
  }
}

// R7
void Policy::load_announcement(const nostr::Event& event, std::string_view json,
                               Transition& changes) {
  const auto announced = read_announcement(event);
  if (announced && !is_unwelcome(*announced)) return stored_announcement(event, changes);
  core::log::warn("the announcement {} is stored, but not wanted here", event.id.hex());
  if (!announced) return;
  relisting_.add(store::Remove{event.id});
  relisting_.put_note(withheld_note(event.id, std::string(json)));
}

// R7. What was deleted or replaced meanwhile has nothing to come back to.
bool Policy::load_withheld(std::string_view json, const store::Snapshot& here,
                           core::UnixSeconds now) {
  auto event = nostr::JsonReader().event(json);
  if (!event || event->kind != kinds::kAnnouncement) return false;
  const auto wire =
      std::make_shared<nostr::WireEvent>(nostr::WireEvent{*std::move(event), std::string(json)});
  const auto outcome = here.judge(*wire, now);
  const auto announced = read_announcement(wire->event);
  if (!outcome || !announced) return false;
  const bool has_place = *outcome == store::Outcome::Stored;
  if (has_place && is_unwelcome(*announced)) return true;
  relisting_.put_note(withheld_note(wire->event.id, std::nullopt));
  Transition changes;
  if (has_place) {
    relisting_.add(store::Restore{wire});
    stored_announcement(wire->event, changes);
  } else if (!catalog_.find(announced->coordinate)) {
    schedule_removal(announced->coordinate, now + options_.removal_grace, changes);
  }
  relisting_.append(std::move(changes));
  return true;
}

bool Policy::load_note(std::string_view key, std::string_view value, core::UnixSeconds now) {
  if (key.starts_with(Purgatory::kNotePrefix)) return purgatory_.restore(key, value);
  if (key.starts_with(Expirations::kNotePrefix)) return expirations_.restore(key, value);
  if (key.starts_with(OrphanPool::kNotePrefix)) return orphans_.restore(key, value, owed_);
  if (key.starts_with(RejectedIds::kNotePrefix)) return rejected_.restore(key, value);
  for (StrangerPool* pool : {&requests_, &lists_})
    if (key.starts_with(pool->prefix())) return pool->restore(key, value);
  const bool is_removal = key.starts_with(kRemovalPrefix);
  const auto coordinate = parse_coordinate(key.substr(key.find('/') + 1));
  if (!coordinate) return false;
  if (is_removal) {
    scheduled_removals_.insert_or_assign(*coordinate, parse_time(value));
    return true;
  }
  const auto space = std::min(value.find(' '), value.size());
  const auto id = nostr::EventId::from_hex(value.substr(std::min(space + 1, value.size())));
  if (id && key.starts_with(kThreadsPrefix)) {
    ended_threads_.insert_or_assign(*coordinate, ThreadsTerm{parse_time(value), *id});
    return true;
  }
  if (is_too_far_ahead(parse_time(value), now)) {  // R13
    owed_.put_note({std::string(key), std::nullopt});
    return true;
  }
  auto& newest = key.starts_with(kNewestStatePrefix) ? newest_states_ : newest_seen_;
  if (id) newest.insert_or_assign(*coordinate, nostr::Version{parse_time(value), *id});
  return id.has_value();
}

// The crash may have come after a deletion was stored, and before it was applied here.
void Policy::drop_settled(const store::Snapshot& here, core::UnixSeconds now) {
  for (const nostr::WireEventPtr& wire : purgatory_.events()) {
    const auto outcome = here.judge(*wire, now);
    const bool is_ahead = is_too_far_ahead(wire->event.created_at, now);
    if (!outcome || (*outcome == store::Outcome::Stored && !is_ahead)) continue;
    const auto announced =
        wire->event.kind == kinds::kAnnouncement
            ? read_announcement(wire->event)
            : core::Result<Announcement, std::string>(core::Failure{std::string()});
    if (announced && !catalog_.find(announced->coordinate))
      scheduled_removals_.try_emplace(announced->coordinate, now);
    give_up(wire->event, owed_);
  }
  for (const nostr::WireEventPtr& wire : orphans_.events()) {
    const auto outcome = here.judge(*wire, now);
    if (outcome && *outcome != store::Outcome::Stored) orphans_.leave(wire->event.id, owed_);
  }
}

// What waits belongs into the catalog too. A version newer than the one that is served was about to
// be stored: is_due() says so.
void Policy::list_waiting() {
  for (const Coordinate& key : purgatory_.announcements()) {
    auto announced = read_announcement(purgatory_.announcement(key)->event->event);
    const Listing* known = catalog_.find(key);
    const bool is_listed = known && announced && known->announcement.id == announced->id;
    if (is_listed && !is_stored(announced->id)) continue;
    const bool is_newer =
        announced &&
        (!known || nostr::wins({announced->created_at, announced->id}, known->version()));
    if (!is_newer || is_unwelcome(*announced)) {
      purgatory_.drop_announcement(key, owed_);
      continue;
    }
    const Place place = known ? known->place : Place::Waiting;
    const bool hosts = is_host_of(*announced);
    catalog_.put({*std::move(announced), place, hosts});
  }
}

}  // namespace graspd::grasp
