// Every message is answered or refused, by both sides; an answer keeps the frame limit and is
// itself a message the other side can read.
#include "core/check.h"
#include "negentropy/random_items.h"
#include "negentropy/reconciler.h"

namespace graspd::negentropy {
namespace {

constexpr std::size_t kFrameMax = 4096;

std::shared_ptr<const ItemSet> items(std::size_t count) {
  core::Rng rng(1);
  return std::make_shared<const ItemSet>(random_items(rng, count, 0, 200));
}

void check_answered(std::string_view message) {
  static const auto set = items(500);
  const Responder responder(set, {.frame_max = kFrameMax});
  const auto answer = responder.respond(message);
  if (!answer) {
    CHECK(!describe(answer.error()).empty());
    return;
  }
  CHECK(answer->size() <= kFrameMax);
  Initiator other(set, {.frame_max = kFrameMax});
  CHECK(other.reconcile(*answer));
}

void check_learned(std::string_view message) {
  static const auto set = items(400);
  Initiator initiator(set, {.frame_max = kFrameMax});
  const auto step = initiator.reconcile(message);
  if (!step) return;
  CHECK(step->have.size() <= set->size());
  CHECK(step->need.size() <= message.size() / sizeof(Id));
  if (!step->next) return;
  CHECK(step->next->size() > 1 && step->next->size() <= kFrameMax);
  CHECK(Responder(set, {.frame_max = kFrameMax}).respond(*step->next));
}

}  // namespace
}  // namespace graspd::negentropy

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view message(reinterpret_cast<const char*>(data), size);
  graspd::negentropy::check_answered(message);
  graspd::negentropy::check_learned(message);
  return 0;
}
