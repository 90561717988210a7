#include "lmdb/migrate.h"

#include <algorithm>
#include <fmt/format.h>

#include "lmdb/tables.h"

namespace graspd::lmdb {
namespace {

constexpr std::string_view kFormat = "format";

std::string too_new(std::uint64_t found, std::uint64_t known) {
  return fmt::format(
      "it was written by a newer graspd (format {}, this one knows formats up to {}); "
      "use that version",
      found, known);
}

bool is_new(Txn& txn) {
  MDB_dbi unnamed = 0;
  check(mdb_dbi_open(txn.get(), nullptr, 0, &unnamed));
  return txn.entries(unnamed) == 0;
}

std::optional<std::uint64_t> found_format(Txn& txn) {
  MDB_dbi meta = 0;
  const int code = mdb_dbi_open(txn.get(), "meta", 0, &meta);
  if (code == MDB_NOTFOUND) return std::nullopt;
  check(code);
  return get_number(txn, meta, name_key(kFormat));
}

void put_format(Txn& txn, std::uint64_t number) {
  put_number(txn, open_meta(txn, Missing::Create), name_key(kFormat), number);
}

constexpr std::string_view kNotOurs =
    "it is not an event database of graspd; choose another folder, or take it over if an "
    "ngit-grasp wrote it: graspd import --help";

}  // namespace

const Format& current_format() {
  // 2: notes, a table that is made when it is missing.
  static const Format format{2, {{.from = 1, .run = [](Txn&) {}}}};
  return format;
}

core::Result<core::Done, std::string> bring_up_to_date(Txn& txn, const Format& format) {
  const auto found = found_format(txn);
  if (!found && !is_new(txn)) return core::Failure{std::string(kNotOurs)};
  std::uint64_t number = found.value_or(format.number);
  if (number > format.number) return core::Failure{too_new(number, format.number)};
  while (number < format.number) {
    const auto step = std::find_if(format.upgrades.begin(), format.upgrades.end(),
                                   [&](const Upgrade& upgrade) { return upgrade.from == number; });
    if (step == format.upgrades.end()) {
      return core::Failure{fmt::format("there is no way to upgrade its format {}", number)};
    }
    step->run(txn);
    ++number;
  }
  if (found != number) put_format(txn, number);
  return core::Done{};
}

core::Result<core::Done, std::string> expect_current(Txn& txn, const Format& format) {
  const auto found = found_format(txn);
  if (!found) return core::Failure{std::string(kNotOurs)};
  if (*found > format.number) return core::Failure{too_new(*found, format.number)};
  if (*found < format.number) {
    return core::Failure{
        fmt::format("it has the older format {}; start the server once to upgrade it", *found)};
  }
  return core::Done{};
}

}  // namespace graspd::lmdb
