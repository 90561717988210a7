#include "http/html.h"

#include <fmt/format.h>

#include "core/sha256.h"

namespace graspd::http {
namespace {

constexpr std::string_view kStyle =
    ":root{color-scheme:light dark;--ink:#1d1d22;--paper:#fdfdfb;--soft:#5b5b66;--line:#d3d3da;"
    "--box:#f2f2f5;--link:#0a52a8;--note:#fff2cf}"
    "@media(prefers-color-scheme:dark){:root{--ink:#e7e7ea;--paper:#17171b;--soft:#a6a6b2;"
    "--line:#3b3b44;--box:#222228;--link:#8dbaff;--note:#3a3015}}"
    "*{box-sizing:border-box}"
    "body{max-width:46rem;margin:2rem auto;padding:0 1rem;font:1rem/1.6 system-ui,sans-serif;"
    "color:var(--ink);background:var(--paper);overflow-wrap:anywhere}"
    "h1{font-size:1.6rem;line-height:1.3}h2{font-size:1.15rem;margin:2rem 0 .5rem}"
    "a{color:var(--link)}p{margin:.6rem 0}img{vertical-align:middle}"
    "code,pre{font-family:ui-monospace,monospace;font-size:.92em}"
    "pre{padding:.7rem .8rem;border:1px solid var(--line);border-radius:.3rem;"
    "background:var(--box);white-space:pre-wrap}"
    "ul{padding-left:1.2rem;margin:.4rem 0}li{margin:.25rem 0}"
    ".words{white-space:pre-line}.small{color:var(--soft);font-size:.88rem}"
    ".note{padding:.6rem .8rem;border-radius:.3rem;background:var(--note)}"
    ".mark{padding:0 .4rem;border:1px solid var(--line);border-radius:.3rem;font-size:.8rem}"
    ".cards{list-style:none;padding:0}"
    ".cards li{padding:.7rem 0;border-top:1px solid var(--line);margin:0}.cards p{margin:0}";

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

std::string page(std::string_view title, std::string_view body, std::string_view icon) {
  const std::string link =
      icon.empty() ? "" : fmt::format("<link rel=\"icon\" href=\"{}\">\n", escape(icon));
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n{}<style>{}</style>\n</head>\n<body>\n<main>\n{}\n</main>\n</body>\n"
      "</html>\n",
      escape(title), link, kStyle, body);
}

Response page_response(std::uint16_t status, std::string_view title, std::string_view body,
                       std::string_view icon) {
  Response response{status, {}, page(title, body, icon)};
  response.headers.add("Content-Type", "text/html; charset=utf-8");
  response.headers.add("Content-Security-Policy", policy());
  response.headers.add("X-Content-Type-Options", "nosniff");
  response.headers.add("Referrer-Policy", "no-referrer");
  return response;
}

}  // namespace graspd::http
