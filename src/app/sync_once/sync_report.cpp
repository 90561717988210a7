#include "app/sync_once/sync_report.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/counted.h"
#include "core/escaped.h"
#include "core/excerpt.h"
#include "nostr/json_writer.h"

namespace graspd::app {
namespace {

constexpr std::size_t kReasonsMax = 40;
constexpr std::size_t kReasonBytesMax = 160;
constexpr std::size_t kTroublesMax = 20;
constexpr std::size_t kBarWidth = 24;
constexpr const char* kOtherReasons = "other reasons";

// R3
std::string tame(std::string_view text) {
  std::string out = core::escaped(core::excerpt(std::string(text), kReasonBytesMax));
  return out.empty() ? "no reason given" : out;
}

std::string bytes_text(std::uint64_t bytes) {
  if (bytes < 10'000) return core::counted(bytes, "byte");
  if (bytes < 10'000'000) return fmt::format("{:.1f} kB", static_cast<double>(bytes) / 1e3);
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

double seconds_taken(const OneShotReport& report) {
  return static_cast<double>(report.lasted.count()) / 1000;
}
std::uint64_t moved(const OneShotReport& report) { return report.fetched + report.uploaded; }
double rate(const OneShotReport& report) {
  return report.lasted.count() > 0 ? static_cast<double>(moved(report)) / seconds_taken(report) : 0;
}

bool is_complete(const OneShotReport& report) {
  return report.end == OneShotReport::End::Finished && report.troubles.empty() &&
         report.undelivered == 0 && report.failed == 0 && report.unsent == 0 &&
         report.upload_refused.empty();
}

void append_reasons(std::string& text, const Reasons& reasons) {
  for (const auto& [reason, count] : reasons) text += fmt::format("    {} × {}\n", count, reason);
}

std::string arrivals_text(const OneShotReport& report) {
  std::string text = fmt::format("  fetched {}: {} stored, {} held, {} refused\n", report.fetched,
                                 report.stored, report.held, total(report.refused));
  append_reasons(text, report.refused);
  if (report.known > 0)
    text += fmt::format("  {} arrived from elsewhere meanwhile\n", report.known);
  if (report.undelivered > 0)
    text += fmt::format("  {} not delivered by the relay\n", report.undelivered);
  if (report.forged > 0)
    text += fmt::format("  {}\n", core::counted(report.forged, "forged copy", "forged copies"));
  if (report.failed > 0) text += fmt::format("  {} could not be stored\n", report.failed);
  return text;
}

std::string uploads_text(const OneShotReport& report) {
  std::string text =
      fmt::format("  uploaded {}: {} new, {} already there, {} refused\n",
                  report.uploaded + report.upload_duplicates + total(report.upload_refused),
                  report.uploaded, report.upload_duplicates, total(report.upload_refused));
  append_reasons(text, report.upload_refused);
  if (report.kept_back > 0)
    text += fmt::format("  {} not sent: only their authors may publish them\n", report.kept_back);
  if (report.unsent > 0) text += fmt::format("  {} not sent\n", report.unsent);
  return text;
}

std::string headline(const OneShotReport& report) {
  if (report.signal) return "interrupted; what arrived is kept, run it again to continue";
  if (report.end == OneShotReport::End::Unreachable) return "not begun";
  if (!is_complete(report)) return "incomplete; run it again to continue";
  return report.dry_run ? "compared; nothing was changed" : "complete";
}

void put(nostr::JsonWriter& json, std::string_view name, const Reasons& reasons) {
  json.key(name).open('{');
  for (const auto& [reason, count] : reasons) json.field(reason, count);
  json.close('}');
}

std::string bar(std::uint64_t done, std::uint64_t all) {
  const std::size_t filled = all == 0 ? 0 : std::min(done, all) * kBarWidth / all;
  return fmt::format("[{}{}] {:3} % ", std::string(filled, '#'),
                     std::string(kBarWidth - filled, '.'),
                     all == 0 ? 0 : std::min(done, all) * 100 / all);
}

}  // namespace

void tally(Reasons& reasons, std::string_view text) {
  std::string reason = tame(text);
  if (reasons.size() >= kReasonsMax && !reasons.contains(reason)) reason = kOtherReasons;
  ++reasons[std::move(reason)];
}

void trouble(OneShotReport& report, std::string_view text) {
  std::string said = tame(text);
  auto& troubles = report.troubles;
  const bool is_known = std::find(troubles.begin(), troubles.end(), said) != troubles.end();
  if (!is_known && troubles.size() < kTroublesMax) troubles.push_back(std::move(said));
}

std::uint64_t total(const Reasons& reasons) {
  std::uint64_t sum = 0;
  for (const auto& [reason, count] : reasons) sum += count;
  return sum;
}

int exit_code(const OneShotReport& report) {  // R1
  if (report.signal) return 128 + *report.signal;
  if (report.end == OneShotReport::End::Unreachable) return 3;
  return is_complete(report) ? 0 : 1;
}

std::string summary_text(const OneShotReport& report) {
  std::string text = headline(report) + '\n';
  if (report.end == OneShotReport::End::Unreachable) {
    for (const std::string& why : report.troubles) text += fmt::format("  {}\n", why);
    return text;
  }
  text += fmt::format("  {} on both sides, {} only there, {} only here\n", report.already_here,
                      report.missing_here, report.peer_lacks);
  if (report.down && !report.dry_run) text += arrivals_text(report);
  if (report.up && !report.dry_run) text += uploads_text(report);
  if (report.unasked > 0)
    text += fmt::format("  {} arrived without being requested, and were dropped\n", report.unasked);
  text += fmt::format(
      "  {} in, {} out, {:.1f} s, {:.0f} events/s; {}, {}\n", bytes_text(report.bytes_in),
      bytes_text(report.bytes_out), seconds_taken(report), rate(report),
      core::counted(report.requests, "request"), core::counted(report.rounds, "round"));
  for (const std::string& why : report.troubles) text += fmt::format("  trouble: {}\n", why);
  return text;
}

std::string summary_json(const OneShotReport& report) {
  std::string out;
  nostr::JsonWriter json(out);
  json.open('{');
  json.field("complete", exit_code(report) == 0).field("exit_code", exit_code(report));
  json.field("dry_run", report.dry_run);
  json.field("already_here", report.already_here);
  json.field("missing_here", report.missing_here);
  json.field("peer_lacks", report.peer_lacks);
  json.field("fetched", report.fetched);
  json.field("stored", report.stored);
  json.field("held", report.held);
  json.field("known", report.known);
  json.field("forged", report.forged);
  json.field("failed", report.failed);
  json.field("undelivered", report.undelivered);
  json.field("unasked", report.unasked);
  json.field("uploaded", report.uploaded);
  json.field("upload_duplicates", report.upload_duplicates);
  json.field("kept_back", report.kept_back);
  json.field("unsent", report.unsent);
  json.field("requests", report.requests);
  json.field("rounds", report.rounds);
  json.field("pages", report.pages);
  json.field("bytes_in", report.bytes_in);
  json.field("bytes_out", report.bytes_out);
  json.field("seconds", seconds_taken(report)).field("events_per_second", rate(report));
  put(json, "refused", report.refused);
  put(json, "upload_refused", report.upload_refused);
  json.key("troubles").list(report.troubles);
  json.close('}');
  return out + '\n';
}

std::string progress_text(const OneShotReport& report, const SyncStanding& standing,
                          bool terminal) {
  std::uint64_t all = 0;
  if (report.down && !report.dry_run) all += report.missing_here;
  const std::uint64_t sent =
      report.uploaded + report.upload_duplicates + total(report.upload_refused);
  if (report.up && !report.dry_run) all += sent + standing.to_upload;
  const std::uint64_t done = report.fetched + sent;
  std::string text = terminal && all > 0 ? bar(done, all) : std::string();
  if (standing.questions_open > 0)
    text += fmt::format("comparing ({} of {} done): ", standing.questions - standing.questions_open,
                        standing.questions);
  return text + fmt::format("{} of {} moved, {} stored, {:.0f}/s, {} in, {} out", done, all,
                            report.stored, rate(report), bytes_text(report.bytes_in),
                            bytes_text(report.bytes_out));
}

}  // namespace graspd::app
