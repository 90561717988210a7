// What a kind number means to a relay (NIP-01): kept, replaced, addressed or only passed on.
#pragma once
#include <compare>
#include <cstdint>

namespace graspd::nostr {

struct Kind {
  std::uint16_t value = 0;
  auto operator<=>(const Kind&) const = default;
};

enum class KindClass { Regular, Replaceable, Ephemeral, Addressable };
KindClass kind_class(Kind kind);

inline bool is_replaceable(Kind kind) { return kind_class(kind) == KindClass::Replaceable; }
inline bool is_addressable(Kind kind) { return kind_class(kind) == KindClass::Addressable; }
inline bool is_ephemeral(Kind kind) { return kind_class(kind) == KindClass::Ephemeral; }

namespace kinds {
inline constexpr Kind kMetadata{0}, kDeletion{5}, kRepost{6}, kSeal{13}, kGenericRepost{16},
    kVanish{62}, kGiftWrap{1059}, kZapRequest{9734}, kRelayList{10002}, kClientAuth{22242},
    kBlobAuth{24242}, kHttpAuth{27235};
}  // namespace kinds

}  // namespace graspd::nostr
