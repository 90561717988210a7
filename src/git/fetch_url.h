// A URL from which a repository can be fetched, known to be safe to pass to git.
//
//   R1  http or https with a host; a repository may be at its root. No credentials, query or
//       fragment: none of them names a repository, and the first two can carry what is not ours to
//       send.
//   R2  It is rebuilt from its parts, so that git and we cannot read it differently: host and
//       address in canonical form, without default port and trailing slashes, with bytes that are
//       invalid in a URL percent-encoded.
#pragma once
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace graspd::git {

class FetchUrl {
 public:
  static std::optional<FetchUrl> parse(std::string_view text);

  const std::string& text() const { return text_; }
  const std::string& host() const { return host_; }  // a name or an address, without brackets
  std::uint16_t port() const { return port_; }
  bool is_tls() const { return is_tls_; }

  std::strong_ordering operator<=>(const FetchUrl& other) const { return text_ <=> other.text_; }
  bool operator==(const FetchUrl& other) const { return text_ == other.text_; }

 private:
  FetchUrl() = default;

  std::string text_, host_;
  std::uint16_t port_ = 0;
  bool is_tls_ = false;
};

}  // namespace graspd::git
