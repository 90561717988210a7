#include "http/html.h"

#include <fmt/format.h>

#include "core/sha256.h"

namespace graspd::http {
namespace {

constexpr std::string_view kStyle =
    ":root{color-scheme:light dark}"
    "body{max-width:46rem;margin:3rem auto;padding:0 1rem;font:1rem/1.6 system-ui,sans-serif}"
    "h1{font-size:1.6rem}h2{font-size:1.2rem;margin-top:2rem}"
    "code,pre{font-family:ui-monospace,monospace;overflow-wrap:anywhere}"
    "pre{padding:.8rem;border:1px solid;border-radius:.3rem;overflow-x:auto}"
    "table{border-collapse:collapse}td,th{padding:.2rem .8rem .2rem 0;text-align:left}";

std::string base64(const core::Sha256& bytes) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto at = [&](std::size_t j) { return j < bytes.size() ? bytes[j] : 0u; };
    const std::uint32_t group = at(i) << 16 | at(i + 1) << 8 | at(i + 2);
    for (int shift = 18; shift >= 0; shift -= 6) out += kAlphabet[group >> shift & 63];
  }
  out.back() = '=';  // 32 bytes fill all but the last of 44 characters
  return out;
}

std::string policy() {
  return fmt::format(
      "default-src 'none'; style-src 'sha256-{}'; img-src 'self'; base-uri 'none'; "
      "form-action 'none'; frame-ancestors 'none'",
      base64(core::sha256(kStyle)));
}

}  // namespace

std::string escape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string page(std::string_view title, std::string_view body) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n{}\n</body>\n</html>\n",
      escape(title), kStyle, body);
}

Response page_response(std::uint16_t status, std::string_view title, std::string_view body) {
  Response response{status, {}, page(title, body)};
  response.headers.add("Content-Type", "text/html; charset=utf-8");
  response.headers.add("Content-Security-Policy", policy());
  response.headers.add("X-Content-Type-Options", "nosniff");
  response.headers.add("Referrer-Policy", "no-referrer");
  return response;
}

}  // namespace graspd::http
