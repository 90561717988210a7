// Log lines to stdout, for what serves, or to stderr, beside a command's own output. The only user
// of spdlog.
//
//   R1  One line is one line: what core/escaped.h names is written as \n, \x1b, \u2028 and so on,
//       so that what a stranger sent cannot forge lines or steer terminals.
//   R2  Lines end at kLineBytesMax.
//   R3  Repeated lines are held back and counted: see repeat_filter.h.
//   R4  Lines of a private service, from Info on, go through log_redaction.h.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "app/config/settings.h"
#include "core/log.h"

namespace graspd::app {

class LogSink : public core::log::Sink {
 public:
  static constexpr std::size_t kLineBytesMax = 2 * 1024;

  enum class To { Stdout, Stderr };
  // No level: silent.
  LogSink(std::optional<core::log::Level> level, LogFormat format, To stream = To::Stderr,
          bool is_private = false);
  ~LogSink() override;  // reports what was held back

  bool wants(core::log::Level level) const override;
  void write(core::log::Level level, std::string_view text) override;

 private:
  struct Writer;
  std::optional<core::log::Level> level_;
  const bool is_private_;
  std::unique_ptr<Writer> writer_;
};

// R1 and R2.
std::string as_one_line(std::string_view text);
// The same as a JSON string with its quotes.
std::string as_json_line(std::string_view text);

}  // namespace graspd::app
