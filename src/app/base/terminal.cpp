#include "app/base/terminal.h"

#include "core/escaped.h"
#include "nostr/serialize.h"

namespace graspd::app {

std::string for_terminal(std::string_view text) {
  return core::escaped(text, core::Newlines::Kept);
}

std::string one_line(std::string_view text) { return core::escaped(text); }

std::string printed(const nostr::Event& event) { return core::escaped_json(nostr::to_json(event)); }

}  // namespace graspd::app
