#include "metrics/shared_text.h"

namespace graspd::metrics {

std::string SharedText::text() {
  const std::lock_guard lock(mutex_);  // R2
  if (!made_at_ || clock_() >= *made_at_ + lifetime_) {
    text_ = make_();
    made_at_ = clock_();  // afterwards: a text that takes long to make lives as long as others
  }
  return text_;
}

}  // namespace graspd::metrics
