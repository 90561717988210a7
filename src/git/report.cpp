#include "git/report.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <utility>
#include <variant>

#include "git/pkt_line.h"
#include "git/side_band.h"

namespace graspd::git {
namespace {

constexpr std::size_t kTextBytesMax = 4000;

bool is_control(char c) { return static_cast<std::uint8_t>(c) < 0x20 || c == 0x7f; }

bool is_continuation(char c) { return (static_cast<std::uint8_t>(c) & 0xc0) == 0x80; }

// The beginning, without half a UTF-8 character at its end.
std::string_view cut(std::string_view text) {
  if (text.size() <= kTextBytesMax) return text;
  std::size_t end = kTextBytesMax;
  while (end > 0 && is_continuation(text[end])) --end;
  return text.substr(0, end);
}

std::string one_line(std::string_view text) {
  std::string line(cut(text));
  std::replace_if(line.begin(), line.end(), is_control, ' ');
  return line;
}

std::string result_line(const Result& result) {
  if (!result.refusal) return fmt::format("ok {}\n", result.ref.text());
  return fmt::format("ng {} {}\n", result.ref.text(), one_line(*result.refusal));
}

std::string_view without_blanks(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
}

bool begins_with_alarm(std::string_view text) {
  constexpr std::size_t kAlarmBytes = 6;
  std::string start(text.substr(0, kAlarmBytes));
  for (char& c : start) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return start == "fatal:" || start == "error:";
}

std::string_view without_alarms(std::string_view line) {
  while (begins_with_alarm(without_blanks(line))) {
    line = without_blanks(line);
    line = without_blanks(line.substr(line.find(':') + 1));
  }
  return line;
}

// Takes "word rest" apart; the rest may be empty.
std::pair<std::string_view, std::string_view> split_word(std::string_view line) {
  const auto space = line.find(' ');
  if (space == std::string_view::npos) return {line, {}};
  return {line.substr(0, space), line.substr(space + 1)};
}

// Reads one line after another into `report`; false: not a line that may stand there.
class ReportReader {
 public:
  bool read(std::string_view line) {
    if (line.ends_with('\n')) line.remove_suffix(1);
    const auto [word, rest] = split_word(line);
    if (!has_unpack_) return word == "unpack" && !rest.empty() && read_unpack(rest);
    if (word == "ok") return read_result(rest, std::nullopt);
    if (word == "option") return !report_.results.empty();
    if (word != "ng") return false;
    const auto [ref, reason] = split_word(rest);
    return read_result(ref, std::string(reason));
  }
  bool is_complete() const { return has_unpack_; }
  Report take() { return std::move(report_); }

 private:
  bool read_unpack(std::string_view text) {
    report_.unpack = text;
    has_unpack_ = true;
    return true;
  }
  bool read_result(std::string_view ref, std::optional<std::string> refusal) {
    const auto name = RefName::parse(ref);
    return name && report_.results.emplace(*name, std::move(refusal)).second;
  }

  Report report_;
  bool has_unpack_ = false;
};

}  // namespace

std::vector<Result> refuse_all(std::span<const Command> commands, const std::string& reason) {
  std::vector<Result> results;
  results.reserve(commands.size());
  for (const auto& command : commands) results.push_back({command.ref, reason});
  return results;
}

std::string report_status(std::string_view unpack, const std::vector<Result>& results) {
  std::string out;
  append_pkt(out, fmt::format("unpack {}\n", one_line(unpack)));
  for (const auto& result : results) append_pkt(out, result_line(result));
  out += kFlushPkt;
  return out;
}

std::string push_answer(const Capabilities& capabilities, std::string_view unpack,
                        const std::vector<Result>& results, std::string_view progress_text) {
  const bool wants_report = capabilities.report_status || capabilities.report_status_v2;
  std::string report = wants_report ? report_status(unpack, results) : std::string();
  if (!capabilities.side_band_64k) return report;
  std::string out;
  append_band(out, Band::Progress, calm_progress(progress_text));
  append_band(out, Band::Data, report);
  out += kFlushPkt;
  return out;
}

std::string calm_progress(std::string_view text) {
  std::string calm;
  while (!text.empty()) {
    // A carriage return starts a line over: what follows is at its beginning again.
    const auto end = std::min(text.find_first_of("\r\n"), text.size());
    calm += one_line(without_alarms(text.substr(0, end)));
    calm += end < text.size() ? text[end] : '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return calm;
}

core::Result<Report, std::string> parse_report_status(std::string_view bytes) {
  PktReader packets;
  packets.feed(bytes);
  ReportReader reader;
  while (true) {
    const auto next = packets.next();
    const auto* pkt = std::get_if<Pkt>(&next);
    if (!pkt) return core::Failure{std::string("git's report ends early")};
    if (pkt->kind != Pkt::Kind::Data) break;
    if (!reader.read(pkt->payload)) {
      return core::Failure{"git's report has an unknown line: " + one_line(pkt->payload)};
    }
  }
  if (!reader.is_complete()) return core::Failure{std::string("git's report is empty")};
  if (!packets.empty()) return core::Failure{std::string("git's report goes on after its end")};
  return reader.take();
}

}  // namespace graspd::git
