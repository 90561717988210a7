// For tests: who a request is from, with all that decides it.
#pragma once
#include <optional>
#include <string_view>

#include "relay/git_access.h"

namespace graspd::relay {

inline std::optional<nostr::PublicKey> member_of(GitAccess& access,
                                                 std::optional<std::string_view> authorization,
                                                 std::string_view path, core::Now now,
                                                 const IsMember& is_member) {
  const auto claim = access.claim(authorization, path);
  if (!claim || !access.may_be_good(*claim, now, is_member) || !claim->is_signed())
    return std::nullopt;
  access.accept(*claim, now.instant);
  return claim->event.pubkey;
}

}  // namespace graspd::relay
