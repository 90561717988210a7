// What is hosted, as the start page lists it.
//
//   R1  Newest announcement first; at most `max` lines, and how many there are in all.
//   R2  Only what is listed is copied, and of that only what will be shown: the work and the memory
//       of a request do not depend on how much strangers wrote.
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
