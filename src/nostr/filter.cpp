#include "nostr/filter.h"

#include <algorithm>
#include <functional>

namespace graspd::nostr {
namespace {

template <class T>
bool allows(const std::optional<std::vector<T>>& list, const T& value) {
  return !list || std::binary_search(list->begin(), list->end(), value);
}

template <class T>
void sort_unique(std::vector<T>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  list.shrink_to_fit();  // a subscription keeps it, and repeats are free to send
}

template <class T>
void sort_unique(std::optional<std::vector<T>>& list) {
  if (list) sort_unique(*list);
}

bool holds(const TagCondition& condition, const Tags& tags) {
  for (const Tag tag : tags) {
    if (tag.letter() != condition.letter || tag.size() < 2) continue;
    if (std::binary_search(condition.values.begin(), condition.values.end(), tag.value(),
                           std::less<>())) {
      return true;
    }
  }
  return false;
}

template <class T>
bool is_empty(const std::optional<std::vector<T>>& list) {
  return list && list->empty();
}

}  // namespace

bool Filter::matches(const Event& event) const {
  if (since && event.created_at < *since) return false;
  if (until && event.created_at > *until) return false;
  if (!allows(kinds, event.kind) || !allows(authors, event.pubkey) || !allows(ids, event.id)) {
    return false;
  }
  return std::all_of(tags.begin(), tags.end(),
                     [&](const TagCondition& condition) { return holds(condition, event.tags); });
}

bool Filter::is_impossible() const {
  if (is_empty(ids) || is_empty(authors) || is_empty(kinds)) return true;
  if (until && *until < since.value_or(0)) return true;
  return std::any_of(tags.begin(), tags.end(),
                     [](const TagCondition& condition) { return condition.values.empty(); });
}

void normalise(Filter& filter) {
  sort_unique(filter.ids);
  sort_unique(filter.authors);
  sort_unique(filter.kinds);
  for (TagCondition& condition : filter.tags) sort_unique(condition.values);
  std::sort(filter.tags.begin(), filter.tags.end(),
            [](const TagCondition& a, const TagCondition& b) { return a.letter < b.letter; });
}

}  // namespace graspd::nostr
