#include "app/server/test_options.h"

#include <utility>

namespace graspd::app {
namespace {

using namespace std::chrono_literals;

// R1
template <class T>
void hurry(T& value, const T& usual, const T& wanted) {
  if (value == usual) value = wanted;
}

void hurry(sync::Options& options) {
  const sync::Options usual;
  hurry<core::Duration>(options.batch_window, usual.batch_window, 200ms);
  hurry<core::Duration>(options.backoff_base, usual.backoff_base, 1s);
  hurry<core::Duration>(options.backoff_max, usual.backoff_max, 5s);
  options.dead_after = 5min;
  options.dead_retry = 1min;
  options.stable_after = 5s;
  options.rate_pause = 2s;
  options.rate_pause_max = 10s;
  options.policy_pause = 1min;
  options.linger = 5s;
  options.first_frame_max = 10s;
  options.progress_max = 5s;
  options.negentropy_silence_max = 5s;
  options.rotation_min = 2s;
  options.lost_retry = 1s;
  options.lost_retry_max = 10s;
}

void hurry(git::fetch::Options& options) {
  hurry<std::size_t>(options.domain_commands_per_minute,
                     git::fetch::Options().domain_commands_per_minute, 0);
  options.push_not_expected = 50ms;
  options.second_source_after = 2s;
  options.backoff_base = 500ms;
  options.backoff_max = 2s;
  options.rate_pause = 1s;
  options.site_pause = 200ms;
  options.site_pause_max = 1s;
  options.url_pause = 200ms;
  options.late_patience = 2s;
}

}  // namespace

Settings with_test_options(Settings settings) {
  if (!settings.test) return settings;  // R2
  hurry(settings.sync.engine);
  settings.sync.dialer.error_lifetime = 0s;
  settings.sync.status_interval = 100ms;
  settings.private_service.follow_interval = 200ms;
  hurry(settings.fetch.scheduler);
  settings.fetch.tick = 500ms;
  settings.verifier.plan.comparison_pause = 0s;
  settings.verifier.plan.share = 0;
  settings.verifier.check_interval = 500ms;
  settings.host.sweep_interval = 200ms;
  settings.host.maintenance_interval = 2s;
  settings.sizes.interval = 200ms;
  settings.metrics_lifetime = 0s;  // a test wants to see what it just did
  return settings;
}

}  // namespace graspd::app
