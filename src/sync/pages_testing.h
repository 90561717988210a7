// For tests of reading pages: events of one kind, and a relay that has them.
#pragma once
#include <algorithm>
#include <initializer_list>
#include <string>
#include <vector>

#include "sync/page_read.h"

namespace graspd::sync::page_read_test {

inline nostr::Event event(std::uint32_t number, core::UnixSeconds at, std::string value) {
  nostr::EventId::Bytes bytes{};
  for (int i = 0; i < 4; ++i) bytes[i] = static_cast<std::uint8_t>(number >> (8 * i));
  return {.id = nostr::EventId(bytes), .created_at = at, .kind = {1111}, .tags = {{"e", value}}};
}

// A relay that answers newest first, at most `cap` events, and may cut every answer.
struct Relay {
  std::vector<nostr::Event> events;
  std::size_t cap = 50;
  bool hints = false, ignores_until = false;
  std::size_t cut_after = SIZE_MAX;
  std::size_t requests = 0;
  AnswerSize answers;

  std::vector<nostr::Event> answer(nostr::Filter filter) {
    ++requests;
    if (ignores_until) filter.until.reset();
    std::vector<nostr::Event> page;
    for (const auto& e : events) {
      if (filter.matches(e)) page.push_back(e);
    }
    std::stable_sort(page.begin(), page.end(),
                     [](const auto& a, const auto& b) { return a.created_at > b.created_at; });
    page.resize(std::min({page.size(), cap, static_cast<std::size_t>(*filter.limit)}));
    return page;
  }
};

inline nostr::Filter values(std::initializer_list<std::string> list) {
  nostr::Filter filter;
  filter.tags.push_back({'e', list});
  return filter;
}

}  // namespace graspd::sync::page_read_test
