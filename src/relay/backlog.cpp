#include "relay/backlog.h"

#include <utility>

namespace graspd::relay {
namespace {

// Kept for the next time; an idle client needs no more.
constexpr std::size_t kKeptCapacity = 16;

}  // namespace

bool Backlog::take(Delivered event, std::size_t unsent) {
  if (event.batch != batch_) {
    batch_ = event.batch;
    behind_ = unsent + bytes_;
  }
  if (bytes_max_ > 0 && behind_ > bytes_max_) return false;
  bytes_ += event.event->json.size();
  waiting_.push_back(std::move(event));
  return true;
}

std::optional<Delivered> Backlog::next(std::size_t unsent) {
  if (empty() || unsent > kPortionBytes) return std::nullopt;
  Delivered event = std::move(waiting_[given_++]);
  bytes_ -= event.event->json.size();
  drop_given();
  return event;
}

void Backlog::drop_given() {
  if (empty()) return clear();
  if (given_ <= waiting_.size() / 2) return;  // so that each is moved once at most
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(given_));
  given_ = 0;
}

void Backlog::clear() {
  waiting_.clear();
  if (waiting_.capacity() > kKeptCapacity) waiting_.shrink_to_fit();
  given_ = 0;
  bytes_ = 0;
}

}  // namespace graspd::relay
