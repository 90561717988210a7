// The list of hosted repositories on the start page.
//
//   R1  Newest announcement first; at most `max` lines, and the total.
//   R2  Only listed entries are copied, and only the parts that are shown: the work and memory of a
//       request do not depend on how much strangers wrote.
#pragma once
#include <cstddef>
#include <vector>

#include "grasp/catalog.h"
#include "grasp/repository_card.h"

namespace graspd::web {

inline constexpr std::size_t kHostedMax = 100;  // a page that a phone still scrolls through

struct Hosted {
  std::vector<grasp::RepositoryLine> lines;
  std::size_t total = 0;
};

Hosted hosted(const grasp::Catalog& catalog, std::size_t max = kHostedMax);

}  // namespace graspd::web
