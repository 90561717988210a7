#include "app/database/export_lines.h"

#include <algorithm>

namespace graspd::app {
namespace {

using core::Failure;
using Exported = core::Result<std::uint64_t, std::string>;

// Events read from one snapshot of R3.
constexpr std::size_t kAtOnce = 5'000;

std::string sentence(store::StoreError error) {
  std::string text(store::describe(error));
  if (error == store::StoreError::Corrupt)
    text += ", but some could not be read; graspd check says where: restore a backup";
  return text;
}

Failure<std::string> cannot_write() { return {"cannot write the output: is the disk full?"}; }

}  // namespace

Exported export_all(const ExportContext& context) {
  const store::Serial last = context.store.newest();  // R1
  std::uint64_t events = 0;
  store::Serial after = 0;
  for (bool more = true; more;) {
    const auto snapshot = context.store.snapshot();
    if (!snapshot) return Failure{sentence(snapshot.error())};
    more = false;
    bool written = true;
    const auto read = (*snapshot)->replay(after, kAtOnce, [&](const store::Found& found) {
      after = found.serial;
      if (found.serial > last || !written) return;
      more = true;
      written = context.write(found.json);
      ++events;
    });
    if (!read) return Failure{sentence(read.error())};
    if (!written) return cannot_write();
    context.progress(events);
  }
  return events;
}

Exported export_matching(const ExportContext& context, const nostr::Filter& filter) {
  store::Cursor cursor({filter}, context.store.newest());
  std::uint64_t events = 0;
  for (auto state = store::ReadState::Unfinished; state == store::ReadState::Unfinished;) {
    const auto snapshot = context.store.snapshot();
    if (!snapshot) return Failure{sentence(snapshot.error())};
    bool written = true;
    const auto read =
        (*snapshot)->read(cursor, store::Budget{}, context.now, [&](const store::Found& found) {
          written = written && context.write(found.json);
          ++events;
        });
    if (!read) return Failure{sentence(read.error())};
    if (!written) return cannot_write();
    state = *read;
    context.progress(events);
  }
  return events;
}

}  // namespace graspd::app
