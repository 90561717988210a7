#include "sync/record_text.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <iterator>

#include "core/excerpt.h"

namespace graspd::sync {
namespace {

constexpr std::size_t kReasonMax = 500;

template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// One line, whatever the peer said.
std::string in_one_line(std::string text) {
  text = core::excerpt(std::move(text), kReasonMax);
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}
  void line(std::string_view name, const auto& value) {
    fmt::format_to(std::back_inserter(out_), "{} {}\n", name, value);
  }
  template <class Value>
  void line(std::string_view name, const std::optional<Value>& value) {
    if (value) line(name, *value);
  }

 private:
  std::string& out_;
};

template <class Number>
void take(Number& field, std::string_view text) {
  field = number<Number>(text).value_or(field);
}
template <class Number>
void take(std::optional<Number>& field, std::string_view text) {
  field = number<Number>(text);
}

void take_lost(std::vector<LostId>& lost, std::string_view text) {
  const std::size_t space = text.find(' ');
  const auto id = nostr::EventId::from_hex(text.substr(0, space));
  if (!id || space == std::string_view::npos) return;
  lost.push_back({*id, number<std::uint32_t>(text.substr(space + 1)).value_or(0)});
}

void take_health(HealthRecord& health, std::string_view name, std::string_view value) {
  if (name == "failures") take(health.failures, value);
  if (name == "first_failure") take(health.first_failure, value);
  if (name == "last_failure") take(health.last_failure, value);
  if (name == "last_success") take(health.last_success, value);
  if (name == "next_retry") take(health.next_retry, value);
  if (name == "reason") health.reason = value;
  if (name == "paused_until") take(health.paused_until, value);
  if (name == "pauses") take(health.pauses, value);
}

void take_lessons(Lessons& lessons, std::string_view name, std::string_view value) {
  if (name == "retained_bytes_max") take(lessons.retained_bytes_max, value);
  if (name == "filters_per_req_max") take(lessons.filters_per_req_max, value);
  if (name == "limit_zero_refused") lessons.limit_zero_refused = value == "true";
  if (name == "negentropy_refused_until") take(lessons.negentropy_refused_until, value);
  if (name == "negentropy_worked") lessons.negentropy_worked = value == "true";
}

}  // namespace

std::string to_text(const RelayRecord& record) {
  std::string text;
  Writer writer(text);
  writer.line("url", record.url.text());
  const HealthRecord& health = record.health;
  writer.line("failures", health.failures);
  writer.line("first_failure", health.first_failure);
  writer.line("last_failure", health.last_failure);
  writer.line("last_success", health.last_success);
  writer.line("next_retry", health.next_retry);
  if (!health.reason.empty()) writer.line("reason", in_one_line(health.reason));
  writer.line("paused_until", health.paused_until);
  writer.line("pauses", health.pauses);
  const Lessons& lessons = record.lessons;
  writer.line("retained_bytes_max", lessons.retained_bytes_max);
  writer.line("filters_per_req_max", lessons.filters_per_req_max);
  writer.line("limit_zero_refused", lessons.limit_zero_refused);
  writer.line("negentropy_refused_until", lessons.negentropy_refused_until);
  writer.line("negentropy_worked", lessons.negentropy_worked);
  for (const LostId& lost : record.lost) {
    writer.line("lost", fmt::format("{} {}", lost.id.hex(), lost.tries));
  }
  return text;
}

std::optional<RelayRecord> parse_record(std::string_view text) {
  std::optional<RelayRecord> record;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos) continue;
    const std::string_view name = line.substr(0, space), value = line.substr(space + 1);
    if (!record) {  // the url comes first
      const auto url = name == "url" ? nostr::RelayUrl::parse(value) : std::nullopt;
      if (!url) return std::nullopt;
      record = RelayRecord{.url = *url};
      continue;
    }
    take_health(record->health, name, value);
    take_lessons(record->lessons, name, value);
    if (name == "lost") take_lost(record->lost, value);
  }
  return record;
}

}  // namespace graspd::sync
