// What decode() accepts, encode() writes and decode() reads again. The input is tried as text, and
// as the payload behind each prefix: chance alone never hits a checksum.
#include "nostr/nip19.h"

#include <cstdint>
#include <string_view>

#include "core/check.h"
#include "nostr/bech32.h"

namespace {

using namespace graspd::nostr;

struct Encode {
  std::string operator()(const PublicKey& key) const { return nip19::npub(key); }
  std::string operator()(const SecretKey& key) const { return nip19::nsec(key); }
  std::string operator()(const EventId& id) const { return nip19::note(id); }
  std::string operator()(const nip19::Profile& profile) const { return nip19::encode(profile); }
  std::string operator()(const nip19::EventPointer& event) const { return nip19::encode(event); }
  std::string operator()(const nip19::AddressPointer& address) const {
    const auto text = nip19::encode(address);
    CHECK(text);  // a decoded identifier fits
    return *text;
  }
};

void check(std::string_view text) {
  const auto entity = nip19::decode(text);
  if (!entity) {
    CHECK(!nip19::describe(entity.error()).empty());
    return;
  }
  const std::string written = std::visit(Encode(), *entity);
  const auto again = nip19::decode(written);
  CHECK(again);
  CHECK(again->index() == entity->index());
  CHECK(std::visit(Encode(), *again) == written);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check({reinterpret_cast<const char*>(data), size});
  for (const char* prefix : {"npub", "nsec", "note", "nprofile", "nevent", "naddr", "other"}) {
    check(bech32::encode(prefix, {data, size}));
  }
  return 0;
}
