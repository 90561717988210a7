// What those who serve a repository ask about its git data. The verifier (serve/fetch) answers.
#pragma once
#include <optional>
#include <string>

#include "grasp/coordinate.h"
#include "grasp/git_health.h"

namespace graspd::serve {

class DataInspector {
 public:
  virtual ~DataInspector() = default;

  // What the repository lacks of what its served state declares, in words; empty: nothing.
  // Cheap, from any thread. Nothing: something changed since the last look, so look().
  virtual std::optional<std::string> known_loss(const grasp::Coordinate& repository) const = 0;
  // The same from a new look, and repairs what it can. Blocks: for worker threads.
  virtual std::string look_for_loss(const grasp::Coordinate& repository) = 0;
  // Is what is lost fetched again from other servers?
  virtual bool repairs() const = 0;
  // Nothing: nobody looked yet.
  virtual std::optional<grasp::GitHealth> health(const grasp::Coordinate& repository) const = 0;
};

}  // namespace graspd::serve
