// Announcements (kind 30617). Rule numbers are those of grasp/policy.h.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "grasp/decisions.h"
#include "grasp/purgatory_space.h"
#include "nostr/nip19.h"
#include "nostr/replaceable.h"

namespace graspd::grasp {
namespace {

// Long lists are somebody's own doing; the answer stays readable.
constexpr std::size_t kUrlsToldMax = 10;

std::string told(const std::vector<std::string>& urls) {
  const std::span<const std::string> first(urls.data(), std::min(urls.size(), kUrlsToldMax));
  return fmt::format("[{}]", fmt::join(first, ", "));
}

Refuse not_listed(const DecisionContext& context, const Announcement& announced) {
  const std::string_view rule =
      context.rules.options().archive.read_only
          ? "Archive read-only mode: announcement must match archive whitelist."
          : "Announcement must list service in both 'clone' and 'relays' tags, or match archive "
            "whitelist.";
  return {fmt::format("invalid: {} Found clone URLs: {}, relays: {}", rule, told(announced.clone),
                      told(announced.relays)),
          Reason::Lacking};
}

std::optional<Refuse> too_many_people(const DecisionContext& context,
                                      const Announcement& announced) {
  if (announced.roles.left_out > 0)
    return Refuse{fmt::format("blocked: the announcement lists {} maintainers, this server takes "
                              "at most {}",
                              announced.roles.listed.size() + announced.roles.left_out,
                              context.rules.options().listed_max),
                  Reason::Unwelcome};
  if (context.state.catalog.has_too_many_members(announced))
    return Refuse{fmt::format("blocked: with this announcement the repository would have more than "
                              "{} maintainers, which is the most that this server takes",
                              context.rules.options().members_max),
                  Reason::Unwelcome};
  return std::nullopt;
}

// It waits: whoever brings it again in person gives it the full time.
Verdict seen_again(const DecisionContext& context, const Listing& known) {
  if (context.state.is_due(known)) return Take{};
  const Coordinate key = known.announcement.coordinate;
  if (!context.origin.synced && context.state.purgatory.extend(key, context.now, context.changes) &&
      known.hosts)
    return LookForData{};
  return Wait{"duplicate: in purgatory"};
}

bool counts_as_new(const DecisionContext& context, const Coordinate& coordinate,
                   const std::string& source) {
  if (!context.origin.synced || source.empty() || context.state.catalog.find(coordinate))
    return false;
  return !context.origin.relay ||
         !context.rules.options().trusted_relays.contains(*context.origin.relay);
}

std::optional<Refuse> hold(const DecisionContext& context, Announcement announced, bool hosts) {
  const Coordinate coordinate = announced.coordinate;
  if (context.origin.synced && context.state.purgatory.expired().contains(announced.id))
    return Refuse{std::string(kExpiredBefore), Reason::Abandoned};
  const std::string source = source_of(context);
  const bool is_counted = counts_as_new(context, coordinate, source);
  if (is_counted && !context.state.new_repositories.may_bring(source, context.now))
    return Refuse{
        fmt::format("rate-limited: this relay brought {} new repositories within a day, "
                    "and no more may come from it; try again later",
                    context.rules.options().new_repositories_per_relay)};
  if (auto refusal = make_place(context, coordinate, source)) return refusal;
  if (auto refusal = make_space(context, context.state.purgatory.announcement(coordinate)))
    return refusal;
  context.state.purgatory.hold_announcement(
      coordinate,
      {context.wire, context.state.purgatory.deadline(context.now), false, context.origin.synced,
       source},
      context.changes);
  if (is_counted) context.state.new_repositories.brought(source, context.now);
  context.state.catalog.put({std::move(announced), Place::Waiting, hosts});
  context.state.call_wanted(coordinate);
  return std::nullopt;
}

Verdict await_data(const DecisionContext& context, Announcement announced) {
  const Coordinate coordinate = announced.coordinate;
  if (auto refusal = hold(context, std::move(announced), true)) return *refusal;
  for (const nostr::PublicKey& member : context.state.catalog.authority(coordinate).members)
    context.state.purgatory.extend_state({member, coordinate.identifier}, context.now,
                                         context.changes);
  return LookForData{};
}

// It counts at once for those who list it, and is served when one of them is.
Verdict await_host(const DecisionContext& context, Announcement announced) {
  context.changes.add(AlignGroup{announced.coordinate.identifier});
  if (auto refusal = hold(context, std::move(announced), false)) return *refusal;
  return Wait{std::string(kInPurgatory)};
}

// R2
void move_away(const DecisionContext& context, const Announcement& announced,
               const Listing& known) {
  const Coordinate coordinate = announced.coordinate;
  context.state.raise_newest_seen(coordinate, {announced.created_at, announced.id}, known.place,
                                  context.now, context.changes);
  if (known.place == Place::Served) {
    context.changes.add(store::Remove{known.announcement.id});
    context.state.archive_threads(known, context.now, context.changes);
  }
  context.state.forget_announcement(coordinate, context.now, context.changes);
  history::forget(context.here, kinds::kAnnouncement, coordinate, context.changes);
}

Verdict unlisted(const DecisionContext& context, Announcement announced) {
  const Coordinate coordinate = announced.coordinate;
  const Listing* known = context.state.catalog.find(coordinate);
  if (known && known->hosts) {
    const bool was_served = known->place == Place::Served;
    move_away(context, announced, *known);
    if (was_served) return not_listed(context, announced);
  }
  // It went some time ago: nothing older than this comes back either.
  if (!known && context.state.newest_announcements.contains(coordinate))
    context.state.raise_newest_seen(coordinate, {announced.created_at, announced.id}, Place::Served,
                                    context.now, context.changes);
  const auto is_wanted = [&](Catalog::By whom) {
    return context.state.catalog.is_wanted(coordinate.owner, coordinate.identifier, whom);
  };
  if (is_wanted(Catalog::By::ServedRepo)) return Take{};
  if (is_wanted(Catalog::By::AnyRepo)) return await_host(context, std::move(announced));
  return not_listed(context, announced);
}

}  // namespace

Verdict decide_announcement(const DecisionContext& context) {
  auto parsed = context.rules.read_announcement(context.event);
  if (!parsed) return Refuse{parsed.error(), Reason::Invalid};
  Announcement& announced = *parsed;
  const Coordinate& coordinate = announced.coordinate;
  if (!context.rules.may_announce(coordinate.owner))  // R17
    return Refuse{"invalid: Announcement author is not authorized on this private service",
                  Reason::Unwelcome};
  if (const auto rule = context.rules.options().repository_blacklist.match(coordinate))
    return Refuse{"blocked: " + blacklisted_text(*rule, coordinate), Reason::Unwelcome};

  const nostr::Version version{announced.created_at, announced.id};
  const Listing* known = context.state.catalog.find(coordinate);
  if (known && known->announcement.id == announced.id) return seen_again(context, *known);
  if ((known && !nostr::wins(version, known->version())) ||
      context.state.newest_announcements.is_past(coordinate, version))
    return superseded();

  if (auto refusal = too_many_people(context, announced)) return *std::move(refusal);
  if (!context.rules.is_host_of(announced)) return unlisted(context, announced);
  if (context.rules.is_unwelcome(announced))
    return Refuse{fmt::format("blocked: Announcement lists service but does not match repository "
                              "whitelist. Repository {}/{} not in whitelist",
                              nostr::nip19::npub(coordinate.owner), coordinate.identifier.text()),
                  Reason::Unwelcome};
  if (known && known->place == Place::Served) return Take{};
  return await_data(context, std::move(announced));
}

}  // namespace graspd::grasp
