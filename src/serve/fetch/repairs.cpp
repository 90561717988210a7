#include "serve/fetch/repairs.h"

#include <utility>

#include "core/log.h"
#include "gitio/maintenance.h"
#include "serve/fetch/fetch_driver.h"

namespace graspd::serve {

using grasp::Coordinate;

void Repairs::order(const Coordinate& coordinate, const std::vector<git::Oid>& tips) {
  hosting_.incomplete.set(coordinate, true);
  if (!fetches_) return;
  {
    std::lock_guard lock(mutex_);
    ordered_.insert(coordinate);
  }
  fetches_->repair(coordinate, {tips, {}});
}

void Repairs::set(const Coordinate& coordinate, bool is_incomplete, Damage damage) {
  hosting_.incomplete.set(coordinate, is_incomplete);
  const bool is_damaged = is_incomplete || !damage.pulls.empty();
  if (!fetches_) return;
  {
    std::lock_guard lock(mutex_);
    if (is_damaged)
      ordered_.insert(coordinate);
    else if (ordered_.erase(coordinate) == 0)
      return;
  }
  if (!is_damaged) drop_doubles(coordinate);
  fetches_->repair(coordinate, damage);
}

void Repairs::forget(const Coordinate& coordinate) {
  bool is_ordered = false;
  {
    std::lock_guard lock(mutex_);
    is_ordered = ordered_.erase(coordinate) > 0;
  }
  if (is_ordered) fetches_->repair(coordinate, {});
  hosting_.incomplete.set(coordinate, false);
}

void Repairs::drop_doubles(const Coordinate& coordinate) {
  if (hosting_.options.repository_bytes_max == 0) return;
  const auto kept = hosting_.packs.lock(hosting_.key(coordinate));
  const auto guard = hosting_.repos.lock(hosting_.key(coordinate));
  const auto done = gitio::maintain(hosting_.path(coordinate), {.force = true});
  if (!done)
    core::log::warn("maintenance of {} failed: {}", hosting_.key(coordinate), done.error());
}

}  // namespace graspd::serve
