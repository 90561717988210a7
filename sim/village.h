// The smallest world of interest: one repository on relay A, with an issue and comments about it.
#pragma once
#include <string_view>
#include <utility>

#include "sim/world.h"

namespace graspd::sim {

inline const nostr::RelayUrl kA = relay_url(1);
inline const nostr::RelayUrl kB = relay_url(2);
inline const nostr::RelayUrl kC = relay_url(3);

// Nothing is found by a daily sync: that would come too late.
inline sync::Options without_daily() {
  sync::Options options;
  options.daily = 10'000h;
  return options;
}

struct Village {
  World world;
  nostr::Event root = issue(2, 1, kWorldBegins - 5000);
  std::uint64_t number = 1000;  // of the next event

  explicit Village(Habits habits = {}, sync::Options options = {}, std::uint64_t comments = 50)
      : world(1, std::move(options)) {
    world.add_peer(kA, std::move(habits));
    world.publish(kA, root);
    for (std::uint64_t i = 0; i < comments; ++i) {
      world.publish(kA, comment(number++, "E", root.id.hex(),
                                kWorldBegins - 4000 + static_cast<core::UnixSeconds>(i)));
    }
    world.accept(announcement(1, 1, {kA}, kWorldBegins - 9000));
  }
  nostr::Event say(std::string_view tag = "E") {
    auto event = comment(number++, tag, root.id.hex(), world.unix_now());
    world.publish(kA, event);
    return event;
  }
  bool completes(core::Duration limit = 5min) {
    return world.run_until([&] { return world.is_complete(); }, limit);
  }
  bool settles(core::Duration limit = 5min) {
    return world.run_until([&] { return world.engine().is_settled(world.now()); }, limit);
  }
};

}  // namespace graspd::sim
