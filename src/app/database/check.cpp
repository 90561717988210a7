#include "app/database/check.h"

#include <fmt/format.h>

#include "app/database/database.h"
#include "core/counted.h"

namespace graspd::app {

int check_database(const Settings& settings, const CheckOptions& options) {
  const auto store = open_database(settings, Access::Read);
  if (!store) return fail(store.error());
  const auto report = (*store)->check({.signatures = options.signatures});
  if (!report) return fail(report.error());
  for (const std::string& problem : report->first_problems) fmt::print("{}\n", problem);
  if (report->problems == 0) {
    fmt::print("{}, no problems\n", core::counted(report->events, "event"));
    return 0;
  }
  fmt::print("{}, {}: export what can be read and import it into a new database\n",
             core::counted(report->events, "event"), core::counted(report->problems, "problem"));
  return 1;
}

}  // namespace graspd::app
