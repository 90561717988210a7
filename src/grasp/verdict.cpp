#include "grasp/verdict.h"

#include "core/check.h"

namespace graspd::grasp {

Reason reason_of(const Verdict& verdict) {
  if (const auto* wait = std::get_if<Wait>(&verdict)) return wait->reason;
  if (const auto* refuse = std::get_if<Refuse>(&verdict)) return refuse->reason;
  return Reason::None;
}

Reason reason_of(store::Outcome outcome) {
  switch (outcome) {
    case store::Outcome::Stored:
    case store::Outcome::Duplicate:
      return Reason::None;
    case store::Outcome::Superseded:
      return Reason::Superseded;
    case store::Outcome::Deleted:
      return Reason::Deleted;
    case store::Outcome::Vanished:
      return Reason::Vanished;
    case store::Outcome::Expired:
      return Reason::Expired;
  }
  CHECK(false);
}

}  // namespace graspd::grasp
