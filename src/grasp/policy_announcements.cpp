#include <fmt/format.h>
#include <fmt/ranges.h>

#include "grasp/policy.h"
#include "nostr/nip19.h"
#include "nostr/replaceable.h"

namespace graspd::grasp {
namespace {

// Long lists are somebody's own doing; the answer stays readable.
constexpr std::size_t kUrlsToldMax = 10;

constexpr std::size_t kNewestSeenMax = 100'000;

std::string told(const std::vector<std::string>& urls) {
  const std::span<const std::string> first(urls.data(), std::min(urls.size(), kUrlsToldMax));
  return fmt::format("[{}]", fmt::join(first, ", "));
}

}  // namespace

store::Note newest_seen_note(const Coordinate& coordinate, const nostr::Version& version) {
  return {fmt::format("floor/{}/{}", coordinate.owner.hex(), coordinate.identifier.text()),
          fmt::format("{} {}", version.created_at, version.id.hex())};
}

store::Note newest_state_note(const Coordinate& key, const nostr::Version& version) {
  return {fmt::format("state-floor/{}/{}", key.owner.hex(), key.identifier.text()),
          fmt::format("{} {}", version.created_at, version.id.hex())};
}

store::Note removal_note(const Coordinate& coordinate, std::optional<core::UnixSeconds> due) {
  store::Note note{
      fmt::format("removal/{}/{}", coordinate.owner.hex(), coordinate.identifier.text()),
      std::nullopt};
  if (due) note.value = std::to_string(*due);
  return note;
}

bool Policy::lists_us(const Announcement& announced) const {
  return !options_.archive.read_only && lists_service(announced, options_.service);
}

bool Policy::is_host_of(const Announcement& announced) const {
  return lists_us(announced) || options_.archive.wants(announced);
}

Refuse Policy::not_listed(const Announcement& announced) const {
  const std::string_view rule =
      options_.archive.read_only
          ? "Archive read-only mode: announcement must match archive whitelist."
          : "Announcement must list service in both 'clone' and 'relays' tags, or match archive "
            "whitelist.";
  return {fmt::format("invalid: {} Found clone URLs: {}, relays: {}", rule, told(announced.clone),
                      told(announced.relays)),
          Reason::Lacking};
}

Verdict Policy::announcement(const Call& call) {
  auto parsed = read_announcement(call.event);
  if (!parsed) return Refuse{parsed.error(), Reason::Invalid};
  Announcement& announced = *parsed;
  const Coordinate& coordinate = announced.coordinate;
  if (const auto rule = options_.repository_blacklist.match(coordinate))
    return Refuse{"blocked: " + blacklisted_text(*rule, coordinate), Reason::Unwelcome};

  const nostr::Version version{announced.created_at, announced.id};
  const Listing* known = catalog_.find(coordinate);
  if (known && known->announcement.id == announced.id) return seen_again(call, *known);
  const auto newest_seen = newest_seen_.find(coordinate);
  if ((known && !nostr::wins(version, known->version())) ||
      (newest_seen != newest_seen_.end() && nostr::wins(newest_seen->second, version)))
    return Wait{"duplicate: superseded by a newer event", Reason::Superseded};

  if (auto refusal = too_many_people(announced)) return *std::move(refusal);
  if (!is_host_of(announced)) return unlisted(call, announced);
  if (is_unwelcome(announced))
    return Refuse{fmt::format("blocked: Announcement lists service but does not match repository "
                              "whitelist. Repository {}/{} not in whitelist",
                              nostr::nip19::npub(coordinate.owner), coordinate.identifier.text()),
                  Reason::Unwelcome};
  if (known && known->place == Place::Served) return Take{};
  return await_data(call, std::move(announced));
}

std::optional<Refuse> Policy::too_many_people(const Announcement& announced) const {
  if (announced.roles.left_out > 0)
    return Refuse{
        fmt::format("blocked: the announcement lists {} maintainers, this server takes "
                    "at most {}",
                    announced.roles.listed.size() + announced.roles.left_out, options_.listed_max),
        Reason::Unwelcome};
  if (catalog_.has_too_many_members(announced))
    return Refuse{fmt::format("blocked: with this announcement the repository would have more than "
                              "{} maintainers, which is the most that this server takes",
                              options_.members_max),
                  Reason::Unwelcome};
  return std::nullopt;
}

// It waits: whoever brings it again in person gives it the full time.
Verdict Policy::seen_again(const Call& call, const Listing& known) {
  if (is_due(known)) return Take{};
  const Coordinate key = known.announcement.coordinate;
  if (!call.origin.synced && purgatory_.extend(key, call.now, call.changes) && known.hosts)
    return LookForData{};
  return Wait{"duplicate: in purgatory"};
}

bool Policy::is_due(const Listing& listing) const {
  const Coordinate& key = listing.announcement.coordinate;
  if (!purgatory_.announcement(key)) return false;
  if (listing.place == Place::Served) return true;
  return !listing.hosts && catalog_.is_wanted(key.owner, key.identifier, Catalog::By::ServedView);
}

Verdict Policy::unlisted(const Call& call, Announcement announced) {
  const Coordinate coordinate = announced.coordinate;
  const Listing* known = catalog_.find(coordinate);
  if (known && known->hosts) {
    const bool was_served = known->place == Place::Served;
    move_away(call, announced, *known);
    if (was_served) return not_listed(announced);
  }
  // It went some time ago: nothing older than this comes back either.
  if (!known && newest_seen_.contains(coordinate))
    raise_newest_seen(coordinate, {announced.created_at, announced.id}, Place::Served, call.now,
                      call.changes);
  const auto is_wanted = [&](Catalog::By whom) {
    return catalog_.is_wanted(coordinate.owner, coordinate.identifier, whom);
  };
  if (is_wanted(Catalog::By::ServedView)) return Take{};
  if (is_wanted(Catalog::By::AnyView)) return await_host(call, std::move(announced));
  return not_listed(announced);
}

// R2
void Policy::move_away(const Call& call, const Announcement& announced, const Listing& known) {
  const Coordinate coordinate = announced.coordinate;
  raise_newest_seen(coordinate, {announced.created_at, announced.id}, known.place, call.now,
                    call.changes);
  if (known.place == Place::Served) {
    call.changes.add(store::Remove{known.announcement.id});
    end_threads(known, call.now, call.changes);
  }
  forget_announcement(coordinate, call.now, call.changes);
  forget_history(kinds::kAnnouncement, coordinate, call.changes);
}

// Who never had data here can make coordinates for nothing: of these only so many are remembered.
void Policy::raise_newest_seen(const Coordinate& coordinate, const nostr::Version& version,
                               Place place, core::UnixSeconds now, Transition& changes) {
  if (is_too_far_ahead(version.created_at, now)) return;
  if (place == Place::Waiting && newest_seen_.size() >= kNewestSeenMax) return;
  newest_seen_.insert_or_assign(coordinate, version);
  changes.put_note(newest_seen_note(coordinate, version));
}

void Policy::raise_newest_state(const Coordinate& key, const nostr::Version& version,
                                core::UnixSeconds now, Transition& changes) {
  if (is_too_far_ahead(version.created_at, now)) return;
  newest_states_.insert_or_assign(key, version);
  changes.put_note(newest_state_note(key, version));
}

std::optional<Refuse> Policy::hold(const Call& call, Announcement announced, bool hosts) {
  const Coordinate coordinate = announced.coordinate;
  if (call.origin.synced && purgatory_.has_expired(announced.id))
    return Refuse{"invalid: previously expired from purgatory without git data", Reason::Abandoned};
  const std::string source = source_of(call);
  const bool is_counted = counts_as_new(call, coordinate, source);
  if (is_counted && !new_repositories_.may_bring(source, call.now))
    return Refuse{
        fmt::format("rate-limited: this relay brought {} new repositories within a day, "
                    "and no more may come from it; try again later",
                    options_.new_repositories_per_relay)};
  if (auto refusal = make_place(call, coordinate, source)) return refusal;
  if (auto refusal = make_space(call, purgatory_.announcement(coordinate))) return refusal;
  purgatory_.hold_announcement(
      coordinate, {call.wire, purgatory_.deadline(call.now), false, call.origin.synced, source},
      call.changes);
  if (is_counted) new_repositories_.brought(source, call.now);
  catalog_.put({std::move(announced), Place::Waiting, hosts});
  call_wanted(coordinate);
  return std::nullopt;
}

bool Policy::counts_as_new(const Call& call, const Coordinate& coordinate,
                           const std::string& source) const {
  if (!call.origin.synced || source.empty() || catalog_.find(coordinate)) return false;
  return !call.origin.relay || !options_.trusted_relays.contains(*call.origin.relay);
}

Verdict Policy::await_data(const Call& call, Announcement announced) {
  const Coordinate coordinate = announced.coordinate;
  if (auto refusal = hold(call, std::move(announced), true)) return *refusal;
  cancel_removal(coordinate, call.changes);
  for (const nostr::PublicKey& member : catalog_.authority(coordinate).members)
    purgatory_.extend_state({member, coordinate.identifier}, call.now, call.changes);
  return LookForData{};
}

// It counts at once for those who list it, and is served when one of them is.
Verdict Policy::await_host(const Call& call, Announcement announced) {
  call.changes.add(AlignGroup{announced.coordinate.identifier});
  if (auto refusal = hold(call, std::move(announced), false)) return *refusal;
  return Wait{std::string(kInPurgatory)};
}

void Policy::stored_announcement(const nostr::Event& event, Transition& changes) {
  auto announced = read_announcement(event);
  if (!announced) return;
  const Coordinate coordinate = announced->coordinate;
  const bool hosts = is_host_of(*announced);
  catalog_.put({*std::move(announced), Place::Served, hosts});
  expirations_.stored(event, {coordinate}, changes);
  purgatory_.drop_announcement(coordinate, changes);
  if (hosts) cancel_removal(coordinate, changes);
  recall_threads(coordinate, changes);
  changes.add(AlignGroup{coordinate.identifier});
  call_wanted(coordinate);
  const Listing& listing = *catalog_.find(coordinate);
  for (const nostr::PublicKey& key : listing.announcement.roles.listed) call(waits_for_author(key));
  retry_guests(coordinate, changes);
}

// Those beyond kGuestsMax follow with the next sweep.
void Policy::retry_guests(const Coordinate& served, Transition& changes) const {
  std::size_t asked = 0;
  for (const nostr::PublicKey& key : catalog_.concerned_by(served)) {
    const Coordinate guest{key, served.identifier};
    if (!catalog_.is_waiting_guest(guest)) continue;
    if (++asked > kGuestsMax) return;
    if (is_due(*catalog_.find(guest)))
      changes.add(Retry{purgatory_.announcement(guest)->event, {}});
  }
}

bool Policy::is_unwelcome(const Announcement& announced) const {
  const Coordinate& coordinate = announced.coordinate;
  if (options_.repository_blacklist.matches(coordinate)) return true;
  return !options_.repository_whitelist.empty() && lists_us(announced) &&
         !options_.repository_whitelist.matches(coordinate);
}

void Policy::forget_announcement(const Coordinate& coordinate, core::UnixSeconds now,
                                 Transition& changes) {
  const Listing* listing = catalog_.find(coordinate);
  if (!listing) return;
  if (listing->hosts) schedule_removal(coordinate, removal_due(*listing, now), changes);
  catalog_.erase(coordinate);
  expirations_.forget(kinds::kAnnouncement, coordinate, changes);
  purgatory_.drop_announcement(coordinate, changes);
  changes.add(AlignGroup{coordinate.identifier});
}

// What never had data has nothing that could be regretted.
core::UnixSeconds Policy::removal_due(const Listing& listing, core::UnixSeconds now) const {
  return listing.place == Place::Served ? now + options_.removal_grace : now;
}

void Policy::schedule_removal(const Coordinate& coordinate, core::UnixSeconds due,
                              Transition& changes) {
  scheduled_removals_.insert_or_assign(coordinate, due);
  changes.put_note(removal_note(coordinate, due));
}

void Policy::cancel_removal(const Coordinate& coordinate, Transition& changes) {
  if (scheduled_removals_.erase(coordinate) > 0)
    changes.put_note(removal_note(coordinate, std::nullopt));
}

}  // namespace graspd::grasp
