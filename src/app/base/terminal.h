// What commands print for people.
//
//   R1  What a relay or server says reaches the terminal without characters that would command it
//       (core/escaped.h).
//   R2  Events are printed as JSON on one line, for people and for pipes: there the same characters
//       are written as JSON writes them, so every reader gets the same event.
#pragma once
#include <string>
#include <string_view>

#include "nostr/event.h"

namespace graspd::app {

std::string for_terminal(std::string_view text);  // R1; lines stay lines
std::string one_line(std::string_view text);      // R1; a stranger cannot begin a line of their own
std::string printed(const nostr::Event& event);   // R2

}  // namespace graspd::app
