// Pieces that several pages are made of. Parameters called `markup` are trusted, all others are
// not.
//
//   R1  Only http and https URLs of strangers become links; anything else is shown as text.
//   R2  External links carry nofollow and noopener: they endorse nothing and pass nothing on.
//   R3  A list shows at most kListMax lines, and says how many it omits.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "nostr/keys.h"

namespace graspd::web {

inline constexpr std::size_t kListMax = 50;  // what a reader looks through; git knows the rest

std::string link(std::string_view url, std::string_view markup);  // R2; `url` is one of ours
std::string link_if_web(std::string_view url);                    // R1, R2
// A key by its short name, the whole one in its title; leads to the person's page at a client's.
std::string person(const nostr::PublicKey& key);
std::string code(std::string_view text);
std::string command(std::string_view text);

template <class Things, class Line>
std::string list(const Things& things, const Line& line) {
  std::string out = "<ul>\n";
  std::size_t count = 0;
  for (const auto& thing : things) {
    if (count == kListMax) break;
    out += "<li>" + line(thing) + "</li>\n";
    ++count;
  }
  if (things.size() > count)
    out += "<li>and " + std::to_string(things.size() - count) + " more</li>\n";
  return out + "</ul>\n";
}

// The same under a heading; nothing for an empty list.
template <class Things, class Line>
std::string section(std::string_view title, const Things& things, const Line& line) {
  if (things.empty()) return {};
  return "<h2>" + std::string(title) + "</h2>\n" + list(things, line);
}

}  // namespace graspd::web
