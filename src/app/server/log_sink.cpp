#include "app/server/log_sink.h"

#include <mutex>
#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>

#include "app/server/log_redaction.h"
#include "app/server/repeat_filter.h"
#include "core/escaped.h"
#include "net/clock.h"
#include "nostr/serialize.h"

namespace graspd::app {
namespace {

using core::log::Level;

spdlog::level::level_enum spdlog_level(Level level) {
  switch (level) {
    case Level::Trace:
      return spdlog::level::trace;
    case Level::Debug:
      return spdlog::level::debug;
    case Level::Info:
      return spdlog::level::info;
    case Level::Warn:
      return spdlog::level::warn;
    case Level::Error:
      return spdlog::level::err;
  }
  CHECK(false);
}

constexpr std::string_view kTextPattern = "%Y-%m-%dT%H:%M:%S.%eZ %-7l %v";
constexpr std::string_view kJsonPattern =
    R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l","message":%v})";

spdlog::sink_ptr sink_to(LogSink::To stream) {
  if (stream == LogSink::To::Stdout) return std::make_shared<spdlog::sinks::stdout_sink_st>();
  return std::make_shared<spdlog::sinks::stderr_sink_st>();
}

std::string_view cut(std::string_view text) {
  if (text.size() <= LogSink::kLineBytesMax) return text;
  std::size_t end = LogSink::kLineBytesMax;
  // Not in the middle of a UTF-8 character.
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end);
}

}  // namespace

struct LogSink::Writer {
  Writer(LogFormat log_format, To stream) : format(log_format), logger("graspd", sink_to(stream)) {
    logger.set_level(spdlog::level::trace);
    logger.set_formatter(std::make_unique<spdlog::pattern_formatter>(
        std::string(format == LogFormat::Json ? kJsonPattern : kTextPattern),
        spdlog::pattern_time_type::utc));
  }

  void write(const std::vector<RepeatFilter::Line>& lines) {
    for (const auto& [level, text] : lines) {
      const std::string line = format == LogFormat::Json ? as_json_line(text) : as_one_line(text);
      logger.log(spdlog_level(level), spdlog::string_view_t(line));
    }
  }

  std::mutex mutex;
  LogFormat format;
  RepeatFilter repeats;
  spdlog::logger logger;
};

LogSink::LogSink(std::optional<Level> level, LogFormat format, To stream, bool is_private)
    : level_(level), is_private_(is_private), writer_(std::make_unique<Writer>(format, stream)) {}

LogSink::~LogSink() { writer_->write(writer_->repeats.flush()); }

bool LogSink::wants(Level level) const { return level_ && level >= *level_; }

void LogSink::write(Level level, std::string_view text) {
  if (!wants(level)) return;
  const std::string shown = is_private_ && level >= Level::Info ? redacted(text) : std::string();
  if (!shown.empty()) text = shown;  // R4
  const core::Instant now = net::now().instant;
  const std::lock_guard lock(writer_->mutex);
  writer_->write(writer_->repeats.pass(now, level, cut(text)));
}

std::string as_one_line(std::string_view text) { return core::escaped(cut(text)); }

std::string as_json_line(std::string_view text) {
  std::string line;
  nostr::append_json_string(line, cut(text));
  return core::escaped_json(line);
}

}  // namespace graspd::app
