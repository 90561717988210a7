#include "app/sync_once/sync_command.h"

#include <csignal>
#include <cstdio>
#include <fmt/format.h>

#include "app/base/terminal.h"
#include "app/database/database.h"
#include "app/server/wiring.h"
#include "app/sync_once/sync_run.h"
#include "core/log.h"
#include "lmdb/directory.h"
#include "net/clock.h"

namespace graspd::app {
namespace {

using core::Failure;
using core::Result;

constexpr int kWrong = 2;

int refuse(std::string_view sentence) {
  fail(sentence);
  return kWrong;
}

bool is_in_use(const Settings& settings) {
  return lmdb::holds_database(settings.relay_data_path) &&
         !lmdb::lock_for_writing(settings.relay_data_path);
}

// Who we are towards relays that ask. Only whoever stores needs an identity.
Result<std::optional<OwnerKey>, std::string> identity_for(const Settings& settings,
                                                          const SyncRequest& wish) {
  if (!wish.stores()) return find_owner_key(owner_places(settings));
  auto owner = load_owner_key(owner_places(settings));
  if (!owner) return Failure{owner.error()};
  for (const std::string& warning : owner->warnings) core::log::warn("{}", warning);
  return std::optional<OwnerKey>(*std::move(owner));
}

// What the policy of this server knows without storing it, as far as its database tells.
Result<std::unique_ptr<serve::GraspHost>, std::string> read_policy(
    const Settings& settings, const std::optional<OwnerKey>& owner, store::EventStore& store) {
  if (settings.acceptance == Acceptance::Open || !owner) return std::unique_ptr<serve::GraspHost>();
  auto options = host_options(settings, *owner, settings.bind_port);
  if (!options) return Failure{options.error()};
  auto host = std::make_unique<serve::GraspHost>(*std::move(options), store);
  const auto loaded = host->hosting().policy.load(net::now().unix_seconds);
  if (!loaded) return Failure{std::string(store::describe(loaded.error()))};
  return host;
}

int conclude(const OneShotReport& report, const SyncOptions& options) {
  if (options.json)
    fmt::print("{}", summary_json(report));
  else
    fmt::print("{}: {}", options.url, for_terminal(summary_text(report)));
  return exit_code(report);
}

// R1: the database is ours.
int sync_alone(const Settings& settings, const SyncOptions& options, const SyncRequest& wish,
               const std::optional<OwnerKey>& owner) {
  const auto store = open_database(settings, Access::Write);
  if (!store) return refuse(store.error());
  const auto intake = OwnIntake::open(settings, *owner, wish.peer, **store);
  if (!intake) return refuse(intake.error());
  const Inventory inventory{**store, &(*intake)->acceptance()};
  return conclude(run_sync({.settings = settings,
                            .wish = wish,
                            .inventory = inventory,
                            .owner = owner,
                            .intake = intake->get()}),
                  options);
}

// It is a running server's, or nothing is to be stored.
int sync_beside(const Settings& settings, const SyncOptions& options, const SyncRequest& wish,
                const std::optional<OwnerKey>& owner) {
  const auto store = open_database(settings, Access::Read);
  if (!store) return refuse(store.error());
  const auto policy = read_policy(settings, owner, **store);
  if (!policy) return refuse(policy.error());
  const Inventory inventory{**store, policy->get()};
  return conclude(run_sync({.settings = settings,
                            .wish = wish,
                            .inventory = inventory,
                            .owner = owner,
                            .through_server = wish.stores()}),
                  options);
}

}  // namespace

int sync_with_relay(const Settings& settings, const SyncOptions& options) {
  const auto wish = parse_sync_request(options);
  if (!wish) return refuse(wish.error());
  if (const auto disk = require_disk(settings); !disk) return refuse(disk.error());
  const auto owner = identity_for(settings, *wish);
  if (!owner) return refuse(owner.error());
  std::signal(SIGPIPE, SIG_IGN);
  const bool alone = wish->stores() && !is_in_use(settings);
  return alone ? sync_alone(settings, options, *wish, *owner)
               : sync_beside(settings, options, *wish, *owner);
}

}  // namespace graspd::app
