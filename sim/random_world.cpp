#include "sim/random_world.h"

#include <algorithm>
#include <fmt/format.h>

#include "sim/world.h"

namespace graspd::sim {
namespace {

// Wake-ups that breed wake-ups show here first.
constexpr std::uint64_t kStepBudget = 400'000;

struct Life {
  core::Rng rng;
  World world;
  std::vector<nostr::RelayUrl> relays;
  std::map<std::uint64_t, std::vector<nostr::RelayUrl>> repos;
  std::vector<std::pair<nostr::Event, std::uint64_t>> roots;  // with their repository
  std::uint64_t numbers = 1;
  core::UnixSeconds storm = 0;
  bool without_daily = false;  // what is lost then, stays lost
  bool has_begun = false;
  bool harsh = false;
  core::Rng more;    // for the harsh ones
  core::Rng pauses;  // of our reading, for those too

  Life(std::uint64_t seed, sync::Options options)
      : rng(seed * 7919 + 1),
        world(seed, std::move(options)),
        more(seed * 104'729 + 3),
        pauses(seed * 15'485'863 + 5) {}

  std::uint64_t maybe(std::uint64_t one_in, std::uint64_t from, std::uint64_t span) {
    return rng.one_in(one_in) ? from + rng.below(span) : 0;
  }
  Habits habits();
  void worsen(Habits& habits);
  void more_trouble(core::Duration span);
  std::vector<nostr::RelayUrl> some_relays();
  nostr::Event some_event(core::UnixSeconds at, std::uint64_t& repo);
  void publish_something(core::UnixSeconds at);
  void announce(std::uint64_t repo, core::UnixSeconds at);
  void people(core::Duration span);
};

Habits Life::habits() {
  Habits out;
  out.cap = rng.one_in(3) ? 500 : 25 + rng.below(60);
  out.hints = rng.one_in(3);
  constexpr Negentropy kWays[] = {Negentropy::Works,  Negentropy::Works,  Negentropy::Absent,
                                  Negentropy::Silent, Negentropy::Notice, Negentropy::Error};
  out.negentropy = kWays[rng.below(std::size(kWays))];
  if (rng.one_in(4)) out.negentropy_cap = 20 + rng.below(50);
  if (!rng.one_in(3)) {
    sync::PeerInformation information;
    if (rng.one_in(2)) information.supported_nips = std::vector<int>{1, 11, 77};
    if (rng.one_in(3)) information.supported_nips = std::vector<int>{1, 11};
    if (rng.one_in(2)) information.supported_grasps = {"GRASP-01"};
    if (rng.one_in(3)) information.max_subscriptions = 4 + rng.below(20);
    if (rng.one_in(4)) information.max_message_length = 5000 + rng.below(100'000);
    out.information = information;
  }
  out.latency = core::Duration(5 + rng.below(400));
  if (rng.one_in(8)) out.first_frame = core::Duration(rng.below(60'000));
  if (rng.one_in(6)) out.filters_max = 1 + rng.below(9);
  if (rng.one_in(6)) out.requests_per_minute = 20 + rng.below(100);
  out.limits_by_notice = rng.one_in(2);
  out.refuses_limit_zero = rng.one_in(8);
  out.needs_auth = rng.one_in(8);
  if (rng.one_in(8)) out.retained_bytes_max = 3000 + rng.below(20'000);
  if (rng.one_in(8)) out.subscriptions_max = 4 + rng.below(10);
  out.down = false;
  out.never_eose = rng.one_in(15);
  out.eose_twice = rng.one_in(5);
  out.floods = rng.one_in(20);
  out.refuse_dial_one_in = maybe(2, 1, 5);
  out.close_one_in = maybe(3, 2, 10);
  out.cut_one_in = maybe(3, 2, 10);
  if (!without_daily) out.lose_live_one_in = maybe(5, 2, 8);
  out.sends_twice = rng.one_in(6);
  out.ignores_limit = rng.one_in(8);
  out.notice_one_in = maybe(5, 3, 20);
  // One event more than a cap hides it.
  if (rng.one_in(4)) out.cap_in_trouble = 1 + rng.below(20);
  if (out.cap_in_trouble > 20) out.stray_one_in = maybe(4, 2, 10);
  if (!without_daily) out.mute_one_in = maybe(4, 3, 20);
  if (rng.one_in(6)) out.cut_after = 5 + rng.below(60);
  return out;
}

void Life::worsen(Habits& habits) {
  habits.deaf = more.one_in(8);
  if (more.one_in(4)) habits.stray_one_in = 2 + more.below(10);
  if (more.one_in(4)) habits.mute_one_in = 3 + more.below(20);
  if (more.one_in(4)) habits.cap_in_trouble = 1 + more.below(40);
  if (more.one_in(4)) habits.retained_bytes_max = 3000 + more.below(6000);
  if (more.one_in(6)) habits.refuses_value = repo_address(1 + more.below(4)).text();
  if (more.one_in(6)) habits.refuses_value = "repo" + std::to_string(1 + more.below(4));
  if (more.one_in(5)) {
    habits.requests_per_minute = 6 + more.below(30);
    habits.limits_by_notice = true;
  }
  if (more.one_in(4)) habits.first_frame = core::Duration(more.below(100'000));
}

// Repositories come and go, our own store fails, relays change what they say of themselves.
void Life::more_trouble(core::Duration span) {
  const auto sometime = [&] { return core::Duration(more.below(span.count())); };
  for (auto times = more.below(20); times > 0; --times) {
    world.at(sometime(), [this] { announce(1 + more.below(4), world.unix_now()); });
  }
  for (auto times = more.below(5); times > 0; --times) {
    const core::Duration from = sometime();
    world.at(from, [this] { world.store_fails = true; });
    world.at(from + core::Duration(more.below(60'000)), [this] { world.store_fails = false; });
  }
  world.at(span, [this] { world.store_fails = false; });
  for (auto times = pauses.below(20); times > 0; --times) {
    const nostr::RelayUrl relay = relays[pauses.below(relays.size())];
    const core::Duration length(pauses.below(300'000));
    world.at(core::Duration(pauses.below(span.count())),
             [this, relay, length] { world.hold_back(relay, length); });
  }
  for (const nostr::RelayUrl& relay : relays) {
    if (!more.one_in(4)) continue;
    const auto said = world.peer(relay).habits.information;
    world.peer(relay).habits.information.reset();
    world.at(sometime(), [this, relay, said] {
      world.peer(relay).habits.information = said;
      world.cut(relay);
    });
  }
}

std::vector<nostr::RelayUrl> Life::some_relays() {
  std::vector<nostr::RelayUrl> out;
  for (const nostr::RelayUrl& relay : relays) {
    if (rng.one_in(2)) out.push_back(relay);
  }
  if (out.empty()) out.push_back(relays[rng.below(relays.size())]);
  return out;
}

void Life::announce(std::uint64_t repo, core::UnixSeconds at) {
  repos[repo] = some_relays();
  const auto event = announcement(numbers++, repo, repos[repo], at, !rng.one_in(10));
  if (rng.one_in(2)) {
    world.accept(event);
  } else {
    world.publish(relays[rng.below(relays.size())], event);
  }
}

nostr::Event Life::some_event(core::UnixSeconds at, std::uint64_t& repo) {
  auto pick = repos.begin();
  std::advance(pick, rng.below(repos.size()));
  repo = pick->first;
  const std::uint64_t number = numbers++;
  if (rng.one_in(4)) {
    roots.emplace_back(issue(number, repo, at), repo);
    return roots.back().first;
  }
  if (rng.one_in(10)) return state(number, repo, at);
  if (!roots.empty() && !rng.one_in(4)) {
    const auto& [root, of] = roots[rng.below(roots.size())];
    repo = of;
    constexpr const char* kTags[] = {"e", "E", "q"};
    return comment(number, kTags[rng.below(3)], root.id.hex(), at);
  }
  constexpr const char* kTags[] = {"a", "A", "q"};
  return comment(number, kTags[rng.below(3)], repo_address(repo).text(), at);
}

void Life::publish_something(core::UnixSeconds at) {
  std::uint64_t repo = 0;
  // Many events of one second. Only the daily sync finds what comes so late while nobody listens.
  if (rng.one_in(4) && !(has_begun && without_daily)) at = storm;
  const auto event = some_event(at, repo);
  const auto& where = repos[repo];
  bool published = false;
  for (const nostr::RelayUrl& relay : where) {
    if (published && rng.one_in(2)) continue;
    world.publish(relay, event);
    published = true;
  }
}

void Life::people(core::Duration span) {
  const auto count = 5 + rng.below(40);
  for (std::uint64_t i = 0; i < count; ++i) {
    world.at(core::Duration(rng.below(span.count())), [this] {
      if (rng.one_in(12)) {
        announce(1 + rng.below(4), world.unix_now());
      } else {
        const auto skew = static_cast<core::UnixSeconds>(rng.below(900));  // of people's clocks
        publish_something(world.unix_now() + 300 - skew);
      }
    });
  }
  for (const nostr::RelayUrl& relay : relays) {
    if (rng.one_in(2)) {  // away for minutes or for long
      const core::Duration from(rng.below(span.count()));
      const core::Duration away = rng.one_in(3) ? 40min : core::Duration(rng.below(600'000));
      world.at(from, [this, relay] {
        world.peer(relay).habits.down = true;
        world.cut(relay);
      });
      world.at(from + away, [this, relay] { world.peer(relay).habits.down = false; });
    }
    if (rng.one_in(3)) {
      world.at(core::Duration(rng.below(span.count())), [this, relay] { world.cut(relay); });
    }
    for (auto times = rng.below(4); times > 0; --times) {
      world.at(core::Duration(rng.below(span.count())), [this, relay] {
        constexpr const char* kWords[] = {"error: internal", "rate-limited: slow down", "",
                                          "error: too many concurrent REQs"};
        world.close_subscriptions(relay, kWords[rng.below(std::size(kWords))]);
      });
    }
  }
  if (rng.one_in(4)) {
    world.at(core::Duration(rng.below(span.count())), [this] { world.restart(); });
  }
}

std::string describe(const World& world, Life& life) {
  const auto missing = world.missing();
  std::string text = fmt::format("{} missing {}", missing.size(), world.first_untruth);
  for (std::size_t i = 0; i < std::min<std::size_t>(missing.size(), 3); ++i) {
    for (const auto& [where, relay] : world.peers()) {
      for (const nostr::Event& event : relay->events) {
        if (event.id != missing[i]) continue;
        text += fmt::format("\n  kind {} at {} on {}:", event.kind.value,
                            event.created_at - kWorldBegins, where.text());
        for (const nostr::Tag tag : event.tags)
          text += fmt::format(" {}={}", tag.name(), tag.value());
        text += world.intake().knows(event.id) ? " (known)" : "";
      }
    }
  }
  for (const nostr::RelayUrl& relay : life.relays) {
    if (!world.is_tracked(relay)) continue;
    const auto status = world.status(relay);
    text += fmt::format("\n  {} {} {} failures {} batches {} lost {} open {}/{} why '{}'",
                        status.url, sync::name(status.link), sync::name(status.health),
                        status.failures, status.batches.size(), status.ids_lost,
                        status.subscriptions_open, status.live_subscriptions, status.why);
    for (const auto& batch : status.batches) {
      text += fmt::format("\n    {} by {}: {} left, {} flying, failed {} '{}'",
                          sync::name(batch.kind), sync::name(batch.method), batch.requests_left,
                          batch.requests_in_flight, batch.failed, batch.why);
    }
  }
  return text;
}

}  // namespace

Outcome live_through(std::uint64_t seed, Fate fate, Tell tell) {
  core::Rng rng(seed);
  sync::Options options;
  const auto relay_count = 1 + rng.below(4);
  if (rng.one_in(2)) options.bootstrap = {relay_url(1)};
  const bool without_daily = rng.one_in(2);
  if (without_daily) options.daily = 10'000h;
  Life life(seed, options);
  life.world.tell = std::move(tell);
  life.without_daily = without_daily;
  life.harsh = fate == Fate::Harsh;
  life.storm = kWorldBegins - 50'000;
  for (std::uint64_t i = 1; i <= relay_count; ++i) life.relays.push_back(relay_url(i));
  for (const nostr::RelayUrl& relay : life.relays) {
    Habits habits = life.habits();
    if (life.harsh) life.worsen(habits);
    life.world.add_peer(relay, habits);
  }
  const auto repo_count = 1 + life.rng.below(4);
  for (std::uint64_t repo = 1; repo <= repo_count; ++repo) {
    life.announce(repo, kWorldBegins - 100'000);
  }
  for (auto count = life.rng.below(150); count > 0; --count) {
    life.publish_something(kWorldBegins - 1 -
                           static_cast<core::UnixSeconds>(life.rng.below(90'000)));
  }
  World& world = life.world;
  world.start();
  life.has_begun = true;
  const core::Duration faults = 2h;
  life.people(faults);
  if (life.harsh) life.more_trouble(faults);
  world.run(faults);
  world.heal();
  const auto over_budget = [&] { return world.steps() > kStepBudget; };
  world.run_until([&] { return over_budget() || world.is_complete(); }, 80h);
  const bool is_honest = world.first_untruth.empty();
  Outcome out{.complete = world.is_complete() && is_honest && !over_budget(),
              .steps = world.steps(),
              .trace = world.trace(),
              .hours = world.now().instant.time_since_epoch() / 1h};
  if (!out.complete) out.trouble = describe(world, life);
  return out;
}

}  // namespace graspd::sim
