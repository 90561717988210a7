#include "web/hosted.h"

#include <algorithm>

#include "web/text.h"

namespace graspd::web {
namespace {

constexpr std::size_t kSummaryBytesMax = 300;

grasp::RepositoryLine line(const grasp::Announcement& announcement) {
  return {announcement.coordinate, tidy(announcement.name, kNameBytesMax),
          tidy(announcement.description, kSummaryBytesMax), announcement.created_at};
}

}  // namespace

Hosted hosted(const grasp::Catalog& catalog, std::size_t max) {
  std::vector<const grasp::Listing*> all = catalog.served();
  const std::size_t count = std::min(max, all.size());
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(count);
  std::partial_sort(all.begin(), middle, all.end(),
                    [](const grasp::Listing* a, const grasp::Listing* b) {
                      return nostr::wins(a->version(), b->version());
                    });
  Hosted hosted;
  hosted.total = all.size();
  hosted.lines.reserve(count);
  std::transform(all.begin(), middle, std::back_inserter(hosted.lines),
                 [](const grasp::Listing* listing) { return line(listing->announcement); });
  return hosted;
}

}  // namespace graspd::web
