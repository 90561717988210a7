#include "git/fetch_url.h"

#include <fmt/format.h>

#include "core/url.h"

namespace graspd::git {
namespace {

// What a path may show as it is: RFC 3986, and '%' because what is encoded stays encoded.
bool is_path_byte(char c) {
  const bool is_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return is_word || std::string_view("-._~!$&'()*+,;=:@/%").find(c) != std::string_view::npos;
}

std::string encoded(std::string_view path) {
  std::string out;
  for (const char c : path) {
    if (is_path_byte(c))
      out += c;
    else
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

std::string authority(const core::Url& url, std::uint16_t default_port) {
  const bool is_v6 = url.host.find(':') != std::string::npos;
  std::string text = is_v6 ? "[" + url.host + "]" : url.host;
  if (url.port && *url.port != default_port) text += fmt::format(":{}", *url.port);
  return text;
}

}  // namespace

std::optional<FetchUrl> FetchUrl::parse(std::string_view text) {
  auto url = core::Url::parse(text);
  if (!url || (url->scheme != "http" && url->scheme != "https")) return std::nullopt;
  if (text.find_first_of("?#") != std::string_view::npos) return std::nullopt;
  std::string_view path = url->path;
  while (path.ends_with('/')) path.remove_suffix(1);

  FetchUrl result;
  result.is_tls_ = url->scheme == "https";
  const std::uint16_t default_port = result.is_tls_ ? 443 : 80;
  result.port_ = url->port.value_or(default_port);
  result.text_ = url->scheme + "://" + authority(*url, default_port) + encoded(path);
  result.host_ = std::move(url->host);
  return result;
}

}  // namespace graspd::git
