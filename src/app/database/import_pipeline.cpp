#include "app/database/import_pipeline.h"

#include <algorithm>
#include <future>
#include <optional>
#include <utility>

#include "core/check.h"
#include "nostr/json.h"
#include "nostr/replaceable.h"
#include "nostr/serialize.h"
#include "nostr/signature.h"
#include "relay/admission.h"

namespace graspd::app {
namespace {

using core::Failure;
using Checked = core::Result<nostr::WireEventPtr, std::string>;

struct NumberedLine {
  std::uint64_t number = 0;
  std::string text;
};
struct CheckedLine {
  std::uint64_t number = 0;
  Checked event;
};
using CheckedSlice = std::vector<CheckedLine>;

CheckedSlice check_slice(const std::vector<NumberedLine>& lines) {
  nostr::JsonReader reader;
  CheckedSlice checked;
  checked.reserve(lines.size());
  for (const NumberedLine& line : lines)
    checked.push_back({line.number, verified_event(reader, line.text)});
  return checked;
}

class Pipeline {
 public:
  Pipeline(std::istream& in, const ImportContext& context) : in_(in), context_(context) {}

  core::Result<ImportReport, store::StoreError> run() {
    auto current = start_batch();
    while (!current.empty()) {
      auto next = start_batch();  // R1
      if (auto failure = write(std::move(current))) return Failure{*failure};
      context_.progress(report_);
      current = std::move(next);
    }
    return report_;
  }

 private:
  using Batch = std::vector<std::future<CheckedSlice>>;

  std::vector<NumberedLine> read_slice(std::size_t max) {
    std::vector<NumberedLine> lines;
    std::string text;
    while (lines.size() < max && std::getline(in_, text)) {
      ++line_number_;
      if (text.ends_with('\r')) text.pop_back();
      if (!text.empty()) lines.push_back({line_number_, std::move(text)});  // R3
    }
    return lines;
  }

  Batch start_batch() {
    const std::size_t threads = std::max<std::size_t>(1, context_.threads);
    const std::size_t share = std::max<std::size_t>(1, context_.batch_lines / threads);
    Batch batch;
    while (batch.size() < threads) {
      auto lines = read_slice(share);
      if (lines.empty()) break;
      batch.push_back(std::async(std::launch::async, check_slice, std::move(lines)));
    }
    return batch;
  }

  std::optional<store::StoreError> write(Batch batch) {
    std::vector<store::Write> writes;
    for (auto& slice : batch) {
      for (CheckedLine& line : slice.get()) take(std::move(line), writes);
    }
    if (writes.empty()) return std::nullopt;
    if (context_.is_low_on_disk()) return store::StoreError::DiskFull;  // R5
    const auto written = context_.store.write(writes, context_.now());
    if (!written) return written.error();
    for (const store::Written& one : *written) count(report_, one.outcome);
    return std::nullopt;
  }

  void take(CheckedLine line, std::vector<store::Write>& writes) {
    ++report_.lines;
    if (!line.event) {
      ++report_.invalid;
      if (report_.first_bad.size() < ImportReport::kBadLinesShown) {
        report_.first_bad.push_back({line.number, std::move(line.event).error()});
      }
      return;
    }
    const nostr::Event& event = (*line.event)->event;
    if (is_refused(**line.event, line.number, context_.limits, context_.now(), report_)) return;
    if (nostr::is_ephemeral(event.kind)) {  // R3
      ++report_.ephemeral;
      return;
    }
    const bool vanish = nostr::asks_to_vanish_from(event, context_.self);
    writes.push_back({*std::move(line.event), vanish});
  }

  std::istream& in_;
  const ImportContext& context_;
  std::uint64_t line_number_ = 0;
  ImportReport report_;
};

}  // namespace

Checked verified_event(nostr::JsonReader& reader, std::string_view text) {
  auto event = reader.event(text);
  if (!event) return Failure{std::move(event).error()};
  if (!nostr::id_is_right(*event)) return Failure{std::string("the id is not that of the event")};
  if (!nostr::signature_is_right(*event)) return Failure{std::string("the signature is wrong")};
  std::string json = nostr::to_json(*event);
  return std::make_shared<const nostr::WireEvent>(
      nostr::WireEvent{*std::move(event), std::move(json)});
}

bool is_refused(const nostr::WireEvent& wire, std::uint64_t line, const relay::Limits& limits,
                core::UnixSeconds now, ImportReport& report) {
  using relay::Refusal;
  auto refusal =
      relay::refuse_from(relay::Source::Intake::Import, wire.event, wire.json.size(), limits, now);
  if (!refusal) return false;
  if (refusal->why == Refusal::Why::Expired) {
    ++report.expired;
    return true;
  }
  ++report.refused;
  if (report.first_bad.size() < ImportReport::kBadLinesShown)
    report.first_bad.push_back({line, std::move(refusal->text)});
  return true;
}

void count(ImportReport& report, store::Outcome outcome) {
  switch (outcome) {
    case store::Outcome::Stored:
      ++report.stored;
      return;
    case store::Outcome::Duplicate:
      ++report.duplicate;
      return;
    case store::Outcome::Superseded:
      ++report.superseded;
      return;
    case store::Outcome::Deleted:
      ++report.deleted;
      return;
    case store::Outcome::Vanished:
      ++report.vanished;
      return;
    case store::Outcome::Expired:
      ++report.expired;
      return;
  }
  CHECK(false);
}

core::Result<ImportReport, store::StoreError> import_lines(std::istream& in,
                                                           const ImportContext& context) {
  return Pipeline(in, context).run();
}

}  // namespace graspd::app
