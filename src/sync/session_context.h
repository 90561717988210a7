// What the connections of one engine share.
#pragma once
#include <fmt/format.h>
#include <utility>

#include "core/rng.h"
#include "sync/gates.h"
#include "sync/messages.h"
#include "sync/meter.h"
#include "sync/options.h"
#include "sync/repo_index.h"
#include "sync/targets.h"

namespace graspd::sync {

struct SessionContext {
  Options options;
  core::Rng rng;
  RepoIndex index;
  Targets targets;
  HistoryGate history;
  Meter meter;
  Actions actions;
  std::uint64_t subs = 0;

  SessionContext(Options given, core::Rng random)
      : options(std::move(given)), rng(random), index(core::Rng(rng.next())) {}

  Sub next_sub() { return Sub{++subs}; }
  void ask(Action action) { actions.push_back(std::move(action)); }
  template <class... Args>
  void log(core::log::Level level, fmt::format_string<Args...> format, Args&&... args) {
    ask(Log{level, fmt::format(format, std::forward<Args>(args)...)});
  }
};

}  // namespace graspd::sync
