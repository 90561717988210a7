// Carries a OneShotSync to the relay and back, and fetched events to our intake.
//
//   R1  A lost connection is dialled again as long as each connection made progress.
//   R2  SIGINT and SIGTERM end it cleanly: what has arrived is stored and counted. A second signal
//       ends it at once.
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

struct OneShotTask {
  const Settings& settings;
  const SyncRequest& wish;
  const Inventory& inventory;
  const std::optional<OwnerKey>& owner;  // none: nobody to say who we are
  EventIntake* intake = nullptr;         // none: nothing is stored, or `through_server`
  bool through_server = false;
};

// Blocks until it is over.
OneShotReport run_sync(const OneShotTask& task);

}  // namespace graspd::app
