// Where the service is mounted when it shares a host: NGIT_BASE_PATH.
//
//   R1  "/" or a path that begins with '/', does not end with it, has no empty and no dot segments
//       and no character a browser would encode: what is configured is what requests carry.
//   R2  The mount itself, with or without a slash, is the root of the service. A sibling that
//       merely begins with the same letters (/grasp, /graspx) is not below it.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"

namespace graspd::http {

enum class BadBasePath { NoLeadingSlash, TrailingSlash, EmptySegment, DotSegment, BadCharacter };
std::string_view describe(BadBasePath reason);

class BasePath {
 public:
  BasePath() = default;  // "/"
  static core::Result<BasePath, BadBasePath> parse(std::string_view text);

  const std::string& text() const { return text_; }
  bool is_root() const { return text_ == "/"; }

  // The request path as the service sees it, beginning with '/'; nullopt when it lies elsewhere.
  // A view into `path`, or a literal.
  std::optional<std::string_view> below(std::string_view path) const;

 private:
  explicit BasePath(std::string_view text) : text_(text) {}
  std::string text_ = "/";
};

}  // namespace graspd::http
