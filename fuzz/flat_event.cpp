// Whatever the bytes are, reading them ends, stays within them, and yields nothing huge.
#include "app/import_ngit/flat_event.h"

#include <cstddef>
#include <cstdint>

#include "core/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace graspd::nostr;
  if (const auto event = parse_flat_event({data, size}))
    CHECK(event->tags.text_bytes() + event->content.size() <= kSharingMax * size);
  return 0;
}
