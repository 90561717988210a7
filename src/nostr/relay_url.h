// A relay's address, normalised when made: two spellings cannot be two relays.
//
//   R1  ws and wss only; lower-case scheme and host; default port dropped; the slash of an empty
//       path dropped; no credentials, no fragment.
//   R2  Printable ASCII without what RFC 3986 leaves out; at most 2048 bytes, 253 of them host.
//       An international name comes as punycode or percent-encoded and stays as it came.
//   R3  An address has its one usual spelling: no shortened, octal or hexadecimal IPv4; IPv4
//       inside IPv6 becomes IPv4. Whoever guards against private addresses must see them.
//   R4  Percent sequences in the path are upper case; those of plain letters are decoded; dot
//       segments are refused. The root dot of a host and an empty query are dropped.
#pragma once
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace graspd::nostr {

class RelayUrl {
 public:
  static std::optional<RelayUrl> parse(std::string_view text);

  const std::string& text() const { return text_; }
  bool is_secure() const { return secure_; }
  const std::string& host() const { return host_; }  // no brackets around IPv6
  std::uint16_t port() const { return port_; }       // the scheme's default when none is written
  const std::string& path() const { return path_; }  // with query; empty for the root

  auto operator<=>(const RelayUrl& other) const { return text_ <=> other.text_; }
  bool operator==(const RelayUrl& other) const { return text_ == other.text_; }

 private:
  RelayUrl() = default;
  std::string text_, host_, path_;
  std::uint16_t port_ = 0;
  bool secure_ = false;
};

// Same host, port and path, whatever the scheme and with or without a slash at the end; both
// schemes' default ports count as one. NIP-42 and NIP-62 compare relay URLs this way, since a relay
// behind a proxy cannot know how it is reached, and clients write their own spelling.
bool names_same_relay(const RelayUrl& a, const RelayUrl& b);

}  // namespace graspd::nostr
