// A text that is costly to make, made at most once in a while, whoever asks and however often.
//
//   R1  Within `lifetime` everybody gets the text that is there.
//   R2  Those who ask while it is being made wait for that one: it is never made twice at a time.
#pragma once
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "core/time.h"

namespace graspd::metrics {

class SharedText {
 public:
  using Make = std::function<std::string()>;
  using Clock = std::function<core::Instant()>;
  SharedText(Make make, core::Duration lifetime, Clock clock)
      : make_(std::move(make)), lifetime_(lifetime), clock_(std::move(clock)) {}

  std::string text();  // from any thread

 private:
  const Make make_;
  const core::Duration lifetime_;
  const Clock clock_;
  std::mutex mutex_;
  std::string text_;
  std::optional<core::Instant> made_at_;
};

}  // namespace graspd::metrics
