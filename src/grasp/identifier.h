// A repository's name among those of its owner: the `d` tag, a folder on disk, a part of URLs.
//
//   R1  Not empty, not "." or "..", no '/', '\' or NUL: it is one folder, below its parent.
//   R2  No control characters (C0, DEL, C1) and valid UTF-8: it is shown, logged and put into URLs.
//   R3  At most 251 bytes: with ".git" that is 255, the longest file name there is.
//   R4  Anything else is allowed and kept verbatim: spaces, ':', a leading dot, a trailing ".git".
#pragma once
#include <compare>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace graspd::grasp {

inline constexpr std::size_t kIdentifierBytesMax = 251;  // R3

enum class BadIdentifier { Empty, TooLong, DotSegment, Separator, ControlCharacter, NotUtf8 };
std::string_view describe(BadIdentifier reason);

class Identifier {
 public:
  static std::optional<Identifier> parse(std::string_view text);
  // Why parse refuses; nullopt when it does not.
  static std::optional<BadIdentifier> fault(std::string_view text);

  const std::string& text() const { return text_; }

  std::strong_ordering operator<=>(const Identifier&) const = default;
  bool operator==(const Identifier&) const = default;

 private:
  explicit Identifier(std::string_view text) : text_(text) {}
  std::string text_;
};

}  // namespace graspd::grasp
