// Carries a SyncTalk to the relay and back, and what came to our door.
//
//   R1  A connection that is lost is dialled again as long as each one brought something.
//   R2  SIGINT and SIGTERM end it in order: what arrived by then is stored, and counted. A second
//       one ends it at once.
#pragma once
#include <memory>
#include <optional>

#include "app/base/owner_key.h"
#include "app/config/settings.h"
#include "app/sync_once/sync_intake.h"
#include "app/sync_once/sync_inventory.h"
#include "app/sync_once/sync_report.h"
#include "app/sync_once/sync_request.h"

namespace graspd::app {

struct SyncErrand {
  const Settings& settings;
  const SyncWish& wish;
  const Inventory& inventory;
  const std::optional<OwnerKey>& owner;  // none: nobody to say who we are
  EventDoor* door = nullptr;             // none: nothing is stored, or `through_server`
  bool through_server = false;
};

// Blocks until it is over.
SyncReport run_sync(const SyncErrand& errand);

}  // namespace graspd::app
