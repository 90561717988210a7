// The full name of a ref, known to be one that git accepts.
//
//   R1  `refs/`, then at least two parts: `refs/heads/main`, never `HEAD` or `refs/stash`.
//   R2  What `git check-ref-format` rejects is rejected, byte for byte: empty parts, parts that
//       begin with '.' or end with ".lock", "..", "@{", control bytes, space, backslash and ~^:?*[
//       anywhere, a '.' at the end. Bytes above 0x7f are allowed, UTF-8 or not, as in git.
//   R3  At most 1024 bytes: enough for any real name, and a limit for lists of names and for the
//       path of the ref's file (kPathBytesMax).
//   R4  At most 250 bytes in each part: git keeps a ref in a file of that name, and locks it with
//       another file whose name ends with ".lock"; file systems allow names of 255 bytes.
#pragma once
#include <compare>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "git/oid.h"

namespace graspd::git {

class RefName {
 public:
  enum class Space { Heads, Tags, Nostr, Other };

  static constexpr std::size_t kBytesMax = 1024;
  static constexpr std::size_t kPartBytesMax = 255 - std::string_view(".lock").size();
  // What the file of any ref, or its lock, adds to the path of a repository.
  static constexpr std::size_t kPathBytesMax = kBytesMax + std::string_view("/.lock").size();

  // R3, R4. Why no file can be named so, after the name: "has a part of 300 bytes, …".
  static std::optional<std::string> why_too_long(std::string_view text);
  static std::optional<RefName> parse(std::string_view text);

  const std::string& text() const { return text_; }
  Space space() const;
  // Without `refs/heads/`, `refs/tags/` or `refs/nostr/`; in other spaces without `refs/`.
  std::string_view short_name() const;

  auto operator<=>(const RefName&) const = default;

 private:
  explicit RefName(std::string_view text) : text_(text) {}

  std::string text_;
};

using Refs = std::map<RefName, Oid>;
std::vector<Oid> tips_of(const Refs& refs);  // each once

}  // namespace graspd::git
