#include "store/query_plan.h"

#include <optional>
#include <string_view>

namespace graspd::store {
namespace {

// The letters whose values name one thing, so that few events carry the same one.
bool refers_to_one_thing(char letter) {
  return std::string_view("aAeEiIq").find(letter) != std::string_view::npos;
}

std::optional<std::size_t> best_tag(const nostr::Filter& filter, bool referring,
                                    std::size_t keys_max) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < filter.tags.size(); ++i) {
    const nostr::TagCondition& tag = filter.tags[i];
    if (refers_to_one_thing(tag.letter) != referring || tag.values.size() > keys_max) continue;
    if (!best || tag.values.size() < filter.tags[*best].values.size()) best = i;
  }
  return best;
}

Plan by_tag(const nostr::Filter& filter, std::size_t tag) {
  return {Index::Tag, tag, filter.tags.size() == 1 && !filter.authors};
}

std::optional<Plan> by_author(const nostr::Filter& filter, std::size_t keys_max) {
  if (!filter.authors) return std::nullopt;
  const bool exact = filter.tags.empty();
  const std::size_t authors = filter.authors->size();
  if (filter.kinds && filter.kinds->size() <= keys_max / authors) {
    return Plan{Index::AuthorKind, 0, exact};
  }
  if (authors <= keys_max) return Plan{Index::Author, 0, exact};
  return std::nullopt;
}

}  // namespace

Plan plan_query(const nostr::Filter& filter, std::size_t keys_max) {
  if (filter.is_impossible()) return {};
  const bool beyond_entry = filter.authors || !filter.tags.empty();
  if (filter.ids) return {Index::Ids, 0, !beyond_entry};
  if (const auto tag = best_tag(filter, true, keys_max)) return by_tag(filter, *tag);
  if (const auto plan = by_author(filter, keys_max)) return *plan;
  if (const auto tag = best_tag(filter, false, keys_max)) return by_tag(filter, *tag);
  if (filter.kinds && filter.kinds->size() <= keys_max) return {Index::Kind, 0, !beyond_entry};
  return {Index::Time, 0, !beyond_entry};
}

}  // namespace graspd::store
