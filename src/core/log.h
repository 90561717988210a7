// What the server has to say to its operator. Lines go to one sink that app/ installs;
// without a sink (unit tests) they vanish.
//
//   Error  something was lost or is broken: a person must act.
//   Warn   something is not as it should be, and the server copes.
//   Info   what an operator wants to read on a quiet day: start, stop, progress.
//   Debug  why a single request went the way it did.
//   Trace  every step.
//
// Never log event content or secrets: ids, kinds, keys and reasons are enough.
#pragma once
#include <fmt/format.h>
#include <string>
#include <string_view>

namespace graspd::core::log {

enum class Level { Trace, Debug, Info, Warn, Error };

class Sink {
 public:
  virtual ~Sink() = default;
  virtual bool wants(Level level) const = 0;
  virtual void write(Level level, std::string_view text) = 0;  // called from any thread
};

void install(Sink* sink);  // not owned; nullptr to silence
bool enabled(Level level);
void write(Level level, std::string_view text);

template <class... Args>
void line(Level level, fmt::format_string<Args...> format, Args&&... args) {
  if (enabled(level)) write(level, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void debug(fmt::format_string<Args...> format, Args&&... args) {
  line(Level::Debug, format, std::forward<Args>(args)...);
}
template <class... Args>
void info(fmt::format_string<Args...> format, Args&&... args) {
  line(Level::Info, format, std::forward<Args>(args)...);
}
template <class... Args>
void warn(fmt::format_string<Args...> format, Args&&... args) {
  line(Level::Warn, format, std::forward<Args>(args)...);
}
template <class... Args>
void error(fmt::format_string<Args...> format, Args&&... args) {
  line(Level::Error, format, std::forward<Args>(args)...);
}

}  // namespace graspd::core::log
