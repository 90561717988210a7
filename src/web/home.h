// The addresses of the service, as its pages show them to browsers, git and other clients.
//
//   R1  Every part of a URL is percent-encoded, so that a command shown here can be pasted into a
//       shell whatever the repository is called.
//   R2  Clients take a relay without a scheme as wss://; another scheme is written out.
#pragma once
#include <string>
#include <string_view>

#include "grasp/coordinate.h"
#include "http/base_path.h"
#include "nostr/relay_url.h"

namespace graspd::web {

struct Home {
  nostr::RelayUrl relay;  // with the mount
  http::BasePath mount;

  // `below` begins with '/'.
  std::string path(std::string_view below) const;  // for links on our own pages
  std::string url(std::string_view below) const;   // for others
  std::string start() const { return mount.text(); }
  std::string icon() const { return path("/icon.png"); }

  std::string page_path(const grasp::Coordinate& repository) const;
  std::string clone_url(const grasp::Coordinate& repository) const;
  std::string nostr_url(const grasp::Coordinate& repository) const;
  std::string gitworkshop_url(const grasp::Coordinate& repository) const;

 private:
  std::string names(const grasp::Coordinate& repository) const;  // "<npub>/<relay>/<identifier>"
};

std::string gitworkshop_url(const nostr::PublicKey& person);

}  // namespace graspd::web
