// How purgatory is written down: one note per entry.
//
//   purgatory/announcement/<owner>/<identifier>   "<expires> <asleep> <synced>[ <source>]\n<event>"
//   purgatory/state/<author>/<identifier>         the same
//   purgatory/pull/<event id>                     the same
//   purgatory/upload/<token>                      "<expires> <bytes> <event id> <commit> <owner>
//                                                  [ PR repository] from <address>\n<identifier>"
//   purgatory/expired/<event id>                  "<time>"
#pragma once
#include "grasp/purgatory.h"

namespace graspd::grasp::note {

inline constexpr std::string_view kAnnouncementPrefix = "purgatory/announcement/";

std::string announcement_key(const Purgatory::Key& key);
std::string state_key(const Purgatory::Key& key);
std::string pull_key(const nostr::EventId& id);
std::string upload_key(std::string_view token);
std::string expired_key(const nostr::EventId& id);

std::string text(const Held& held);
std::string text(const Upload& upload);

std::optional<Held> parse_held(std::string_view text);
std::optional<Upload> parse_upload(std::string_view token, std::string_view text);

}  // namespace graspd::grasp::note
