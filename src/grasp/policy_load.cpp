#include <charconv>

#include "core/log.h"
#include "grasp/policy.h"
#include "nostr/json.h"
#include "nostr/replaceable.h"

namespace graspd::grasp {
namespace {

constexpr std::string_view kFloorPrefix = "floor/", kRemovalPrefix = "removal/";
// The rules under which the events were refused that are remembered.
constexpr std::string_view kRulesKey = "rules";

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
    else if (!load_note(key, value))
      core::log::warn("a note of an earlier run cannot be read: {}", key);
  };
  // First, because what is served ends the memory of what was refused for lack of it.
  auto done = (*here)->notes(RejectedIds::kNotePrefix, recall);
  if (done) done = load_kind(**here, kinds::kAnnouncement, now);
  if (done) done = load_kind(**here, kinds::kState, now);
  for (const auto prefix :
       {Purgatory::kNotePrefix, kFloorPrefix, kRemovalPrefix, WaitingRoom::kNotePrefix, kRulesKey})
    if (done) done = (*here)->notes(prefix, recall);
  if (!done) return done;
  drop_settled(**here, now);
  list_waiting();
  forget_other_rules(known_rules);
  room_.call_all();
  return done;
}

// The operator may have changed what is welcome: nothing stays out because of what was.
void Policy::forget_other_rules(const std::string& known_rules) {
  if (known_rules == rules()) return;
  rejected_.clear(owed_);
  owed_.push_back({std::string(kRulesKey), rules()});
}

core::Result<core::Done, store::StoreError> Policy::load_kind(const store::Snapshot& here,
                                                              nostr::Kind kind,
                                                              core::UnixSeconds now) {
  nostr::Filter filter;
  filter.kinds = {{kind}};
  store::Cursor cursor({filter}, std::numeric_limits<store::Serial>::max());
  nostr::JsonReader reader;
  Changes none;
  const auto visit = [&](const store::Found& found) {
    const auto event = reader.event(found.json);
    if (!event) return;
    kind == kinds::kAnnouncement ? load_announcement(*event, none) : stored_state(*event, none);
  };
  for (;;) {
    const auto read = here.read(cursor, {}, now, visit);
    if (!read) return core::Failure{read.error()};
    if (*read == store::ReadState::Finished) return core::Done{};
  }
}

// What the operator has come to refuse is out of service from here on.
void Policy::load_announcement(const nostr::Event& event, Changes& changes) {
  const auto announced = parse_announcement(event);
  if (!announced || is_unwelcome(*announced))
    core::log::warn("the announcement {} is stored, but not wanted here", event.id.hex());
  else
    stored_announcement(event, changes);
}

bool Policy::load_note(std::string_view key, std::string_view value) {
  if (key.starts_with(Purgatory::kNotePrefix)) return purgatory_.restore(key, value);
  if (key.starts_with(WaitingRoom::kNotePrefix)) return room_.restore(key, value, owed_);
  if (key.starts_with(RejectedIds::kNotePrefix)) return rejected_.restore(key, value);
  const bool is_removal = key.starts_with(kRemovalPrefix);
  const auto coordinate =
      parse_coordinate(key.substr(is_removal ? kRemovalPrefix.size() : kFloorPrefix.size()));
  if (!coordinate) return false;
  if (is_removal) {
    abandoned_.insert_or_assign(*coordinate, parse_time(value));
    return true;
  }
  const auto space = std::min(value.find(' '), value.size());
  const auto id = nostr::EventId::from_hex(value.substr(std::min(space + 1, value.size())));
  if (id) floors_.insert_or_assign(*coordinate, nostr::Version{parse_time(value), *id});
  return id.has_value();
}

// The crash may have come after a deletion was stored, and before it was obeyed here.
void Policy::drop_settled(const store::Snapshot& here, core::UnixSeconds now) {
  for (const nostr::WireEventPtr& wire : purgatory_.events()) {
    const auto outcome = here.judge(*wire, now);
    if (!outcome || *outcome == store::Outcome::Stored) continue;
    const auto announced =
        wire->event.kind == kinds::kAnnouncement
            ? parse_announcement(wire->event)
            : core::Result<Announcement, std::string>(core::Failure{std::string()});
    if (announced && !catalog_.find(announced->coordinate))
      abandoned_.try_emplace(announced->coordinate, now);
    give_up(wire->event, owed_);
  }
  for (const nostr::WireEventPtr& wire : room_.events()) {
    const auto outcome = here.judge(*wire, now);
    if (outcome && *outcome != store::Outcome::Stored) room_.leave(wire->event.id, owed_);
  }
}

// What waits belongs into the catalog too. A version newer than the one that is served was about to
// be stored: is_due() says so.
void Policy::list_waiting() {
  for (const Coordinate& key : purgatory_.announcements()) {
    auto announced = parse_announcement(purgatory_.announcement(key)->event->event);
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
