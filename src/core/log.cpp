#include "core/log.h"

#include <atomic>

namespace graspd::core::log {
namespace {

std::atomic<Sink*> installed{nullptr};

}  // namespace

void install(Sink* sink) { installed.store(sink, std::memory_order_release); }

bool enabled(Level level) {
  const Sink* sink = installed.load(std::memory_order_acquire);
  return sink != nullptr && sink->wants(level);
}

void write(Level level, std::string_view text) {
  Sink* sink = installed.load(std::memory_order_acquire);
  if (sink != nullptr) sink->write(level, text);
}

}  // namespace graspd::core::log
