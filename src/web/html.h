// Pages: escaped text, and one frame around every page.
//
//   R1  Everything that is not from this program's own source goes through escape().
//   R2  The content security policy allows the frame's own style sheet, images from here, and
//       nothing else: injected markup could neither run nor load anything. A page with a script of
//       ours allows exactly that text, and what it fetches from here.
//   R3  Nothing is wider than the window: a word, name or hash of any length is broken.
//   R4  Light or dark like the reader's system; text has a contrast of at least 4.5 to 1 in both.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "http/message.h"

namespace graspd::http {

// Safe as text and inside a quoted attribute.
std::string escape(std::string_view text);

// What one page has beyond the frame. From this program's own source only: not escaped.
struct PageExtras {
  std::string_view style, script;
  std::string_view script_base;  // a path that the script finds in its data-base
};

// A whole document: `title` is text, `body` is markup, `icon` is a path on this host or empty.
std::string page(std::string_view title, std::string_view body, std::string_view icon = {},
                 const PageExtras& extras = {});

// The document with its type and policy.
Response page_response(std::uint16_t status, std::string_view title, std::string_view body,
                       std::string_view icon = {}, const PageExtras& extras = {});

}  // namespace graspd::http
