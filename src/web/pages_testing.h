// What the pages' tests show: a service, and announcements of all kinds of people.
#pragma once
#include <string>
#include <string_view>

#include "grasp/announcement.h"
#include "web/home.h"

namespace graspd::web::testing {

inline nostr::PublicKey author(std::uint8_t number) {
  nostr::PublicKey::Bytes bytes{};
  bytes[31] = number;
  return nostr::PublicKey(bytes);
}

inline const std::string kScript = "\"><script>alert(1)</script>";

inline Home home(std::string_view mount = "/") {
  const std::string path = mount == "/" ? "" : std::string(mount);
  return {*nostr::RelayUrl::parse("wss://relay.example" + path), *http::BasePath::parse(mount)};
}

inline grasp::Announcement announcement(std::string_view identifier, std::uint8_t owner = 1,
                                        core::UnixSeconds created_at = 1'700'000'000) {
  grasp::Announcement made{{author(owner), *grasp::Identifier::parse(identifier)}};
  made.created_at = created_at;
  return made;
}

inline bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace graspd::web::testing
