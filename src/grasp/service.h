// Which service we are, and whether a URL names it.
//
//   R1  URLs are parsed, never searched: "evil.example/?x=us.example", "us.example.evil.example"
//       and "us.example@evil.example" name others.
//   R2  Host and effective port must be equal. A domain configured without a port means the default
//       port of the URL's scheme; one with a port means only that port.
//   R3  A missing scheme is read as https. A clone URL is http or https; a relay URL is ws or wss,
//       and http(s) is accepted for it, because it is the same place. Neither has a query or a
//       fragment.
//   R4  A clone URL's path is mount + /<npub or hex of the author>/<identifier,
//       percent-decoded>.git with or without a slash at the end; a relay URL's path is the mount,
//       likewise.
//   R5  With `clone_path_must_name_repository` off, any clone path below the mount is accepted,
//       without dot segments.
//   R6  Both lists must name this service.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "grasp/announcement.h"

namespace graspd::grasp {

struct Service {
  std::string host;                   // as core::Url normalises it
  std::optional<std::uint16_t> port;  // nullopt: the default port of either scheme
  std::string mount;                  // "" for the root, or "/grasp"
  bool clone_path_must_name_repository = true;

  // `domain` is host[:port], a slash at the end forgiven; `base_path` begins with '/'.
  static std::optional<Service> parse(std::string_view domain, std::string_view base_path = "/");

  bool operator==(const Service&) const = default;
};

// Does the URL point at the service, wherever below its mount and whatever the query?
bool names_service(std::string_view url, const Service& service);
bool names_relay(std::string_view url, const Service& service);
bool names_clone(std::string_view url, const Service& service, const Coordinate& coordinate);
// The path of a clone URL below the mount, empty or beginning with '/'; nullopt: it names others.
std::optional<std::string> clone_place(std::string_view url, const Service& service);

// R6
bool lists_service(const Announcement& announcement, const Service& service);

}  // namespace graspd::grasp
